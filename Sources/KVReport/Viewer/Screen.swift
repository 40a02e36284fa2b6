/// The size of a screen, in characters.
package struct ScreenSize: Hashable, Sendable {
  /// The number of characters in a line.
  package let width: Int
  /// The number of lines.
  package let height: Int

  /// Creates a size.
  package init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }
}

/// A key on the keyboard, by its function.
package enum ScreenKey: Hashable, Sendable {
  case up, down, left, right, pageUp, pageDown, home, end, enter, backspace, escape, tab
  /// Any other character.
  case character(Unicode.Scalar)
  /// A key without a meaning, or a change of the screen's size.
  case other

  /// Creates the key that types `scalar`.
  package init(typed scalar: Unicode.Scalar) {
    self =
      switch scalar.value {
      case 9: .tab
      case 10, 13: .enter
      case 27: .escape
      case 8, 127: .backspace
      case 2: .pageUp
      case 6: .pageDown
      case 0..<32: .other
      default: .character(scalar)
      }
  }
}

/// The appearance of a piece of text.
package struct ScreenStyle: Hashable, Sendable {
  /// A color on the terminal's own background; the raw values are the terminal's color numbers.
  package enum Color: Int, Sendable, CaseIterable {
    case standard, red, green, yellow, blue, magenta, cyan
  }

  /// The color.
  package var color = Color.standard
  /// Whether the text is bold.
  package var isBold = false
  /// Whether the text is dim.
  package var isDim = false
  /// Whether foreground and background are swapped.
  package var isReversed = false

  static let plain = ScreenStyle()
  static let title = ScreenStyle(isBold: true)
  static let dim = ScreenStyle(isDim: true)

  static func color(_ color: Color) -> ScreenStyle { ScreenStyle(color: color) }
}

/// A line of a screen: pieces of text that are safe for a terminal.
package struct ScreenLine: Hashable, Sendable {
  /// A piece of text in one style.
  package struct Span: Hashable, Sendable {
    /// The text of the piece.
    package let text: String
    /// The style of the piece.
    package let style: ScreenStyle
    /// The cell of the first character.
    package let column: Int
  }

  /// The pieces, from left to right.
  package private(set) var spans: [Span] = []

  init() {}

  init(_ text: String, _ style: ScreenStyle = .plain) { add(text, style) }

  mutating func add(_ text: String, _ style: ScreenStyle = .plain) {
    guard !text.isEmpty else { return }
    let column = spans.last.map { $0.column + CellText.width(of: $0.text) } ?? 0
    spans.append(Span(text: text, style: style, column: column))
  }

  /// The text of all pieces.
  package var text: String { spans.map(\.text).joined() }

  /// The number of cells that the line takes.
  package var width: Int { CellText.width(of: text) }

  /// Returns the line in a form that is safe for a terminal, cut to `width` cells.
  ///
  /// A `selected` line is padded to `width` and reversed.
  func fitted(to width: Int, selected: Bool = false) -> ScreenLine {
    var line = ScreenLine()
    var rest = width
    var iterator = spans.makeIterator()
    while let span = iterator.next() {
      var style = span.style
      if selected { (style.isReversed, style.isDim) = (true, false) }
      let text = CellText.safe(span.text, isFirst: rest == width)
      let (fitting, count) = CellText.prefix(of: text, width: rest)
      line.add(fitting, style)
      rest -= count
      if fitting.unicodeScalars.count < text.unicodeScalars.count { break }
    }
    if selected { line.add(String(repeating: " ", count: rest), ScreenStyle(isReversed: true)) }
    return line
  }
}

/// The model of what a screen shows, which changes with each key.
package protocol ScreenModel {
  /// The size of the screen.
  var size: ScreenSize { get set }
  /// Handles `key`; returns `false` if it asks to quit.
  mutating func press(_ key: ScreenKey) -> Bool
  /// Returns the lines of the screen, as many as it has, none wider than it.
  mutating func lines() -> [ScreenLine]
}

/// Text in the cells of a terminal, where a character takes zero, one or two cells.
enum CellText {
  /// The most marks that a letter may carry; further ones are escaped.
  private static let markLimit = 4

  /// East Asian characters that take two cells.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115f, 0x2329...0x232a, 0x2e80...0x303e, 0x3041...0xa4c6, 0xa960...0xa97c,
    0xac00...0xd7a3, 0xf900...0xfad9, 0xfe10...0xfe19, 0xfe30...0xfe6b, 0xff01...0xff60,
    0xffe0...0xffe6, 0x16fe0...0x1b2fb, 0x1f200...0x1f265, 0x20000...0x3fffd,
  ]

  /// Returns the number of cells that `scalar` takes, like `wcwidth` of the C library.
  static func width(of scalar: Unicode.Scalar) -> Int {
    guard scalar.value >= 0x300 else { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default: break
    }
    // Vowels and final consonants of Korean syllables join the character before them.
    if (0x1160...0x11ff).contains(scalar.value) { return 0 }
    // Two regional indicators form a flag.
    let isFlag = (0x1f1e6...0x1f1ff).contains(scalar.value)
    return scalar.properties.isEmojiPresentation && !isFlag
      || wide.contains { $0.contains(scalar.value) } ? 2 : 1
  }

  /// Returns the number of cells that `text` takes.
  static func width(of text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + width(of: $1) }
  }

  /// Returns `text` with everything escaped that cannot be shown in a cell.
  ///
  /// Combining marks at the start of a line, if the text `isFirst`, get a dotted circle as their
  /// base.
  static func safe(_ text: String, isFirst: Bool) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 || $0 >= 0x7f }) else { return text }
    var result = ""
    var marks = isFirst ? -1 : 0
    for scalar in text.unicodeScalars {
      let cells = DisplayText.isPlain(scalar) ? width(of: scalar) : -1
      if cells == 0, marks >= 0, marks < markLimit {
        marks += 1
      } else if cells == 0, marks < 0 {
        result += "◌"
        marks = 1
      } else {
        marks = 0
        guard cells > 0 else {
          result += DisplayText.escape(scalar)
          continue
        }
      }
      result.unicodeScalars.append(scalar)
    }
    return result
  }

  /// Returns the beginning of `text` that fits into `width` cells, and the number of cells that it
  /// takes; it ends with `…` if it is cut.
  static func prefix(of text: String, width: Int) -> (text: String, count: Int) {
    if text.utf8.count <= width, text.utf8.allSatisfy({ $0 < 0x7f }) {
      return (text, text.utf8.count)
    }
    let (end, count, isAll) = split(text, width)
    if isAll || width < 1 { return (String(text[..<end]), count) }
    let (shorter, less, _) = split(text, width - 1)
    return (text[..<shorter] + "…", less + 1)
  }

  /// Returns `text` split into pieces of at most `width` cells.
  static func wrapped(_ text: String, width: Int) -> [String] {
    var pieces: [String] = []
    var rest = text[...]
    repeat {
      var end = split(rest, max(width, 2)).end
      if end == rest.startIndex { end = rest.endIndex }
      pieces.append(String(rest[..<end]))
      rest = rest[end...]
    } while !rest.isEmpty
    return pieces
  }

  /// Returns the end of the scalars of `text` that fit into `width` cells, the number of cells that
  /// they take, and whether they are all.
  private static func split(
    _ text: some StringProtocol, _ width: Int
  ) -> (end: String.Index, count: Int, isAll: Bool) {
    let scalars = text.unicodeScalars
    var count = 0
    for index in scalars.indices {
      let cells = self.width(of: scalars[index])
      if count + cells > width { return (index, count, false) }
      count += cells
    }
    return (scalars.endIndex, count, true)
  }
}
