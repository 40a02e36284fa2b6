/// A piece of an XML document.
enum XMLEvent {
  /// A document type declaration, and whether it has an internal subset.
  case doctype(String, hasSubset: Bool)
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

  /// Returns the value of the attribute called `name`, or `nil` if there is none.
  ///
  /// If there are several, it is that of the last one, as on Android.
  subscript(name: String) -> String? { attributes.last { $0.name == name }?.value }
}
