import KVBytes

/// A piece of a page.
///
/// Text and attributes are escaped when they are written; only ``verbatim(_:)`` is not.
enum Markup {
  /// The start of an element whose end the parser finds by itself.
  case start(StaticString, KeyValuePairs<StaticString, String>)
  /// An element.
  case element(StaticString, KeyValuePairs<StaticString, String>, [Markup])
  /// An element that has no content.
  case void(StaticString, KeyValuePairs<StaticString, String>)
  /// Text.
  case text(String)
  /// Content of a script or a style, which no entity is read in.
  ///
  /// - Precondition: It has no `</`.
  case verbatim(String)

  /// The markup as text.
  var html: String {
    var text = ""
    write(to: &text)
    return text
  }

  private func write(to text: inout String) {
    switch self {
    case .start(let name, let attributes), .void(let name, let attributes):
      Self.tag(name, attributes, to: &text)
    case .element(let name, let attributes, let content):
      Self.tag(name, attributes, to: &text)
      for piece in content { piece.write(to: &text) }
      text += "</\(name)>\n"
    case .text(let content): text += XMLText.escaped(content)
    case .verbatim(let content): text += content
    }
  }

  private static func tag(
    _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String>,
    to text: inout String
  ) {
    text += "<\(name)"
    for (name, value) in attributes { text += " \(name)=\"\(XMLText.escaped(value))\"" }
    text += ">"
  }
}
