/// The scroll position of a list, and its selected row.
struct Scroll {
  /// The selected row; in a text, which has none, the first row on the screen.
  var selected = 0
  /// The first row on the screen.
  private(set) var top = 0

  /// Moves by `key` among `count` rows, of which `height` fit on the screen; returns `false` if the
  /// key has another function.
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

  /// Moves the selection into the list, and the view to the selection.
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

/// A filter for the listed keys: those that contain a text, regardless of ASCII case.
struct KeyFilter {
  /// The text.
  private(set) var text = ""
  /// Whether the text is being typed.
  var isTyped = false
  /// The matching rows; `nil` until they have been searched for.
  private(set) var matches: [Int]?
  /// The rows that can match; `nil` for all.
  private var candidates: [Int]?

  /// Whether there is a filter.
  var isOn: Bool { !text.isEmpty }

  /// Handles a key while the text is typed.
  ///
  /// - Returns: `true` if the list changes.
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

  /// Forgets the matches, because the rows have changed.
  mutating func reset() { (matches, candidates) = (nil, nil) }

  /// Searches `count` rows for the text, unless that was already done.
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
