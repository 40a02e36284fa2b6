/// A piece of an XML document.
enum XMLEvent {
  /// A document type declaration, and whether it declares anything itself.
  case doctype(String, hasSubset: Bool)
  /// The start of an element.
  case start(XMLElementStart)
  /// The end of the innermost open element.
  case end
  /// Text, with references replaced; an element's text can come in several pieces.
  case text(String)
}

/// The start of an element.
struct XMLElementStart {
  /// Its name.
  let name: String
  /// Its attributes, in the order of the file.
  let attributes: [(name: String, value: String)]
  /// The offset of its `<`.
  let offset: Int

  /// The value of the attribute called `name`.
  subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }
}
