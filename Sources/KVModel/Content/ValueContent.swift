/// What is in a value that is a document of its own, opened one level.
package struct ValueContent: Sendable {
  /// What kind of document it is.
  package enum Form: String, Sendable {
    /// A binary property list or one in XML, as iOS writes it.
    case propertyList = "property-list"
    /// What `NSKeyedArchiver` writes.
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
      /// What has parts of its own: its type, and how many there are.
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

    /// A part with `value`, of which the first bytes are kept.
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

  /// Of a text or of data, so many bytes are kept.
  package static var byteLimit: Int { 256 }
  /// So many parts are kept.
  package static var memberLimit: Int { 256 }

  /// What kind of document it is.
  package let form: Form
  /// Of a file of a known kind, what it is.
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
