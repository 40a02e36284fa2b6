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

extension String {
  /// Whether the text has only spaces and line ends, such as those between elements.
  var isOnlySpace: Bool {
    utf8.allSatisfy { $0 == 0x20 || $0 == 0x0a } || allSatisfy(\.isWhitespace)
  }

  /// The text without spaces and line ends at its beginning and its end.
  var withoutOuterSpace: String {
    let visible: ClosedRange<UInt8> = 0x21...0x7e
    if let first = utf8.first, visible.contains(first), let last = utf8.last, visible.contains(last)
    {
      return self
    }
    return String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }
}
