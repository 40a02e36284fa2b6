/// The content of a value that is itself a document, parsed one level deep.
package struct ValueContent: Sendable {
  /// What kind of document it is.
  package enum Form: String, Sendable {
    /// A property list, binary or XML, as iOS writes it.
    case propertyList = "property-list"
    /// The output of `NSKeyedArchiver`.
    case keyedArchive = "keyed-archive"
    /// A Protocol Buffers message, whose fields have numbers but no names.
    case protobuf
    /// A file of a known kind, which is not parsed.
    case media
  }

  /// A part of the document.
  package struct Member: Sendable {
    /// What a part is.
    package enum Content: Sendable {
      /// A plain value, or the beginning of one.
      case value(Reading)
      /// A part that has parts itself, with its type and their number.
      case container(String, count: Int)
    }

    /// The part's name in a dictionary or object, or its field number; `nil` in a list.
    package let name: String?
    /// What the part is.
    package let content: Content

    /// Creates a part.
    package init(_ name: String?, _ content: Content) {
      self.name = name
      self.content = content
    }

    /// Creates a part with `value`, of which only the first bytes and no elements are kept.
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

  /// The number of bytes that are kept of a text or of binary data.
  static var byteLimit: Int { 256 }
  /// The number of parts that are kept.
  package static var memberLimit: Int { 256 }

  /// What kind of document it is.
  package let form: Form
  /// The type of the file; `nil` if the document is not a file of a known kind.
  package let media: MediaType?
  /// The document's parts, in order; no more than ``memberLimit``.
  package let members: [Member]
  /// The number of parts in the document, including those that are not in ``members``.
  package let count: Int

  /// Creates a document with `count` parts, of which `members` are the first.
  package init(_ form: Form, _ members: [Member], count: Int) {
    self.form = form
    self.members = members
    self.count = count
    media = nil
  }

  /// Creates the content of a file of a known kind.
  package init(_ media: MediaType) {
    form = .media
    members = []
    count = 0
    self.media = media
  }
}
