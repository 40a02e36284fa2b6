/// A piece of an XML document.
enum XMLEvent {
  /// A document type declaration, whether it has an internal subset, and whether CoreFoundation
  /// refuses it although it has none.
  case doctype(hasSubset: Bool, isRefused: Bool)
  /// The start of an element.
  case start(XMLElementStart)
  /// The end of the innermost open element.
  case end
  /// Text, with references replaced.
  ///
  /// An element's text can come in several pieces.
  case text(String)
}

/// The start of an element.
struct XMLElementStart {
  /// The element's name.
  let name: String
  /// The attributes, in the order of the file.
  let attributes: [(name: String, value: String)]
  /// The offset of the tag's `<`.
  let offset: Int
  /// Whether the tag is that of an empty element: `<data/>`.
  let isEmpty: Bool

  /// Returns the value of the attribute called `name`, or `nil` if there is none.
  ///
  /// If there are several, it is that of the last one, as on Android.
  subscript(name: String) -> String? { attributes.last { $0.name == name }?.value }
}

/// What was passed over, or replaced, in a part of a document.
struct XMLPassed: OptionSet {
  let rawValue: Int
  /// Comments and processing instructions.
  static let comments = XMLPassed(rawValue: 1)
  /// References to characters, and CDATA sections.
  static let references = XMLPassed(rawValue: 2)
  /// References to both halves of a surrogate pair, which XML forbids.
  static let halves = XMLPassed(rawValue: 4)
}

extension String {
  /// Whether the text is only space, as XML has it between elements.
  var isOnlySpace: Bool {
    utf8.allSatisfy { $0 == 0x20 || $0 == 0x0a || $0 == 0x09 || $0 == 0x0d }
  }
}
