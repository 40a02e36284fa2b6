import KVBytes

/// A piece of a page.
///
/// Text and attributes are escaped when they are written; only ``verbatim(_:)`` is not.
enum Markup {
  /// The start tag of an element whose end tag is optional.
  case start(StaticString, KeyValuePairs<StaticString, String>)
  /// An element with content.
  case element(StaticString, KeyValuePairs<StaticString, String>, [Markup])
  /// An element that cannot have content.
  case void(StaticString, KeyValuePairs<StaticString, String>)
  /// Text.
  case text(String)
  /// The content of a script or a style, in which no entities are read.
  ///
  /// - Precondition: The content contains no `</`.
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
