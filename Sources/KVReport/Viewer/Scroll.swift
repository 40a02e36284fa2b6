/// Where a list is scrolled to, and which of its rows is selected.
struct Scroll {
  /// The row that is selected; of a text, which has no such row, the first on the screen.
  var selected = 0
  /// The first row on the screen.
  private(set) var top = 0

  /// Moves by `key` among `count` rows of which `height` are on the screen; `false` where it is for
  /// something else.
  mutating func move(_ key: ScreenKey, count: Int, height: Int, isList: Bool) -> Bool {
    let page = max(1, height - 1)
    switch key {
    case .up, "k": selected -= 1
    case .down, "j": selected += 1
    case .pageUp, "b": selected -= page
    case .pageDown, " ": selected += page
    case .home, "g": selected = 0
    case .end, "G": selected = count - 1
    default: return false
    }
    settle(count: count, height: height, isList: isList)
    return true
  }

  /// Brings the selected row into view, and into the list.
  mutating func settle(count: Int, height: Int, isList: Bool) {
    let last = max(0, isList ? count - 1 : count - height)
    selected = min(max(selected, 0), last)
    guard isList else {
      top = selected
      return
    }
    let lowest = max(0, count - max(height, 1))
    top = min(max(top, selected - max(height, 1) + 1), selected, lowest)
  }
}

/// Which keys are listed: those with a text in them, whatever the case of its letters.
struct KeyFilter {
  /// The text.
  private(set) var text = ""
  /// Whether it is being typed.
  var isTyped = false
  /// The rows with it, once they were looked for.
  private(set) var matches: [Int]?
  /// The rows among which they are, where these are not all.
  private var candidates: [Int]?

  /// Whether there is one.
  var isOn: Bool { !text.isEmpty }

  /// Takes in a key of the text.
  ///
  /// - Returns: Whether the list changes.
  mutating func type(_ key: ScreenKey) -> Bool {
    switch key {
    case .enter: isTyped = false
    case .escape:
      self = KeyFilter()
      return true
    case .backspace where text.isEmpty: isTyped = false
    case .backspace:
      text.unicodeScalars.removeLast()
      reset()
      return true
    case .character(let scalar):
      text.unicodeScalars.append(scalar)
      candidates = matches ?? candidates
      matches = nil
      return true
    default: break
    }
    return false
  }

  /// The rows are others now.
  mutating func reset() { (matches, candidates) = (nil, nil) }

  /// Looks for the text among `count` rows, unless that was done.
  mutating func find(among count: Int, _ text: (Int) -> [UInt8]) {
    guard isOn, matches == nil else { return }
    let needle = self.text.utf8.map(Self.folded)
    matches = (candidates ?? Array(0..<count)).filter { Self.isFound(needle, in: text($0)) }
  }

  private static func isFound(_ needle: [UInt8], in bytes: [UInt8]) -> Bool {
    guard let first = needle.first else { return true }
    guard bytes.count >= needle.count else { return false }
    return (0...bytes.count - needle.count).contains { start in
      folded(bytes[start]) == first
        && needle.indices.allSatisfy { folded(bytes[start + $0]) == needle[$0] }
    }
  }

  private static func folded(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
