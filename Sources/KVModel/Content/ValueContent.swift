/// The content of a value that is itself a document.
package struct ValueContent: Sendable {
  /// What kind of document it is.
  package enum Form: String, Sendable {
    /// A property list, binary or XML, as iOS writes it.
    case propertyList = "property-list"
    /// The output of `NSKeyedArchiver`.
    case keyedArchive = "keyed-archive"
    /// A JSON object or array.
    case json
    /// A Protocol Buffers message, whose fields have numbers but no names.
    case protobuf
    /// Compressed data; its only part is what was compressed.
    case gzip, zlib
    /// Base64; its only part is what was encoded.
    case base64
    /// A JSON Web Token; its parts are the header and the claims, without the signature.
    case webToken = "jwt"
    /// A list or a dictionary of the store; its parts are those that are, or contain, documents.
    case parts
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
      /// One of the containers around the part, with its type: an archive may refer to them.
      case outer(String)
    }

    /// The part's name in a dictionary or object, or its field number; `nil` in a list.
    package var name: String?
    /// What the part is.
    package let content: Content
    /// The first parts of a container; none if it was not opened.
    package private(set) var parts: [Member] = []
    /// The content of a plain value that is a document.
    package private(set) var document: ValueContent?
    /// What a plain value or a container may be instead, the likeliest first.
    package private(set) var others: [Reading] = []

    /// Creates a part.
    package init(
      _ name: String?, _ content: Content, parts: [Member] = [], others: [Reading] = []
    ) {
      self.name = name
      self.content = content
      self.parts = parts
      self.others = others
    }

    /// Creates a part with `value`, of which the first `limit` bytes and no elements are kept.
    package init(
      _ name: String?, _ value: Value, keeping limit: Int, document: ValueContent? = nil,
      others: [Reading] = []
    ) {
      self.init(name, .value(Reading(value, because: "").keeping(limit)), others: others)
      self.document = document
    }

    /// Whether the part is or contains a document.
    package var hasDocument: Bool { document != nil || parts.contains(where: \.hasDocument) }
  }

  /// What kind of document it is.
  package let form: Form
  /// The type of the file; `nil` if the document is not a file of a known kind.
  package private(set) var media: MediaType?
  /// The class of the root object of an archive; `nil` if it is a plain value.
  package private(set) var className: String?
  /// The document's first parts, in order.
  package let members: [Member]
  /// The number of parts in the document, including those that are not in ``members``.
  package let count: Int

  /// Creates a document with `count` parts, of which `members` are the first.
  package init(_ form: Form, _ members: [Member], count: Int, className: String? = nil) {
    self.form = form
    self.members = members
    self.count = count
    self.className = className
  }

  /// Creates a document that consists of `root`, or of its parts if it is a container.
  package init(_ form: Form, of root: Member, className: String? = nil) {
    if case .container(_, let count) = root.content {
      self.init(form, root.parts, count: max(count, root.parts.count), className: className)
    } else {
      self.init(form, [root], count: 1, className: className)
    }
  }

  /// Creates the content of a file of a known kind.
  package init(_ media: MediaType) {
    self.init(.media, [], count: 0)
    self.media = media
  }
}
