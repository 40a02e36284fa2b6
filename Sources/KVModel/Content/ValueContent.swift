/// The content of a value that is itself a document, opened to a depth of one level.
package struct ValueContent: Sendable {
  /// What kind of document it is.
  package enum Form: String, Sendable {
    /// A binary property list or one in XML, as iOS writes it.
    case propertyList = "property-list"
    /// The output of `NSKeyedArchiver`.
    case keyedArchive = "keyed-archive"
    /// A message of Protocol Buffers, whose fields have numbers and no names.
    case protobuf
    /// A file of a known kind, which is not opened.
    case media
  }

  /// A part of the document.
  package struct Member: Sendable {
    /// What a part is.
    package enum Content: Sendable {
      /// A plain value, or the beginning of one.
      case value(Reading)
      /// A part with parts of its own: its type, and their number.
      case container(String, count: Int)
    }

    /// Its name in a dictionary or an object, or the number of its field; `nil` in a list.
    package let name: String?
    /// What it is.
    package let content: Content

    /// A part.
    package init(_ name: String?, _ content: Content) {
      self.name = name
      self.content = content
    }

    /// Creates a part with `value`, of which only the first bytes are kept.
    package init(_ name: String?, _ value: Value) {
      self.name = name
      switch value {
      case .array(let elements):
        content = .container(value.kind.rawValue, count: elements.count)
      case .dictionary(let members):
        content = .container(value.kind.rawValue, count: members.count)
      default:
        content = .value(Reading(value, because: "").keeping(ValueContent.byteLimit))
      }
    }
  }

  /// The number of bytes that are kept of a text or of data.
  package static var byteLimit: Int { 256 }
  /// The number of parts that are kept.
  package static var memberLimit: Int { 256 }

  /// What kind of document it is.
  package let form: Form
  /// The type of the file, if it is of a known kind.
  package let media: MediaType?
  /// Its parts, in the order of the document; no more than ``memberLimit``.
  package let members: [Member]
  /// How many parts it has.
  package let count: Int

  /// A document with `count` parts, of which `members` are the first.
  package init(_ form: Form, _ members: [Member], count: Int) {
    self.form = form
    self.members = members
    self.count = count
    media = nil
  }

  /// A file of a known kind.
  package init(_ media: MediaType) {
    form = .media
    members = []
    count = 0
    self.media = media
  }
}
