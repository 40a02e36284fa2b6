/// A regular expression as a program for a machine that follows all its branches at once.
///
/// The time of a search is at most proportional to the length of the text times that of the
/// program, whatever both are: files are hostile.
struct TextProgram: Sendable {
  /// The largest number of instructions of a program.
  static let limit = 1 << 13

  /// Some scalars.
  struct ScalarSet: Hashable, Sendable {
    var ranges: [ClosedRange<UInt32>] = []
    /// Whether letters and digits outside of ASCII are in the set, too.
    var hasLetters = false
    /// Other sets that belong to the set.
    var others: [ScalarSet] = []
    var isNegated = false

    /// Whether the set may contain scalars that are not ASCII.
    var mayHaveOthers: Bool {
      isNegated || hasLetters || !others.isEmpty || ranges.contains { $0.upperBound >= 0x80 }
    }

    /// Returns whether the set contains `scalar`.
    func contains(_ scalar: UInt32) -> Bool {
      includes(scalar) != isNegated
    }

    /// Returns whether `scalar` is one of those that the set lists.
    func includes(_ scalar: UInt32) -> Bool {
      ranges.contains { $0.contains(scalar) } || hasLetters && TextProgram.isLetter(scalar)
        || others.contains { $0.contains(scalar) }
    }
  }

  enum Instruction: Hashable, Sendable {
    case scalar(UInt32)
    case set(ScalarSet)
    /// Goes on at both places; the first is preferred.
    case split(Int, Int)
    case jump(Int)
    case start, end
    /// A place that is a boundary of a word, or is not.
    case boundary(Bool)
    case match
  }

  var instructions: [Instruction] = []
  let ignoresCase: Bool

  /// Creates a program that searches for `text` as it is.
  init(literal text: String, ignoringCase ignoresCase: Bool) {
    self.ignoresCase = ignoresCase
    instructions =
      text.unicodeScalars.map { .scalar(Self.folded($0.value, ignoresCase)) } + [.match]
  }

  /// Creates a program for the regular expression `expression`.
  ///
  /// - Throws: If it is not one.
  init(
    expression: String, ignoringCase ignoresCase: Bool
  ) throws(SearchPatternError) {
    self.ignoresCase = ignoresCase
    var parser = ExpressionParser(expression, ignoringCase: ignoresCase)
    instructions = try parser.program() + [.match]
  }

  /// Returns `scalar` as a lowercase letter if case is ignored.
  static func folded(_ scalar: UInt32, _ ignoresCase: Bool) -> UInt32 {
    guard ignoresCase else { return scalar }
    if scalar < 0x80 { return (0x41...0x5a).contains(scalar) ? scalar + 0x20 : scalar }
    guard let mapping = Unicode.Scalar(scalar)?.properties.lowercaseMapping.unicodeScalars,
      let first = mapping.first, mapping.count == 1, first.value >= 0x80
    else { return scalar }
    return first.value
  }

  /// Returns the range of the leftmost match in `text`; of several, the one whose branches come
  /// first.
  func firstMatch(in text: [UInt32]) -> Range<Int>? {
    var (threads, next) = (ThreadList(instructions.count), ThreadList(instructions.count))
    var found: Range<Int>?
    for position in 0...text.count {
      if found == nil { follow(0, from: position, at: position, in: text, &threads) }
      if threads.threads.isEmpty, found != nil { break }
      next.removeAll()
      let scalar = position < text.count ? text[position] : nil
      step: for thread in threads.threads {
        switch instructions[thread.place] {
        case .match:
          found = thread.start..<position
          // The other branches are less preferred.
          break step
        default:
          if let scalar, takes(scalar, at: thread.place) {
            follow(thread.place + 1, from: thread.start, at: position + 1, in: text, &next)
          }
        }
      }
      swap(&threads, &next)
    }
    return found
  }

  /// Returns whether the instruction at `place` takes `scalar`.
  func takes(_ scalar: UInt32, at place: Int) -> Bool {
    switch instructions[place] {
    case .scalar(let wanted): Self.folded(scalar, ignoresCase) == wanted
    case .set(let set): contains(scalar, set)
    default: false
    }
  }

  /// Returns whether the instruction at `place` may take scalars that are not ASCII.
  func mayTakeOthers(at place: Int) -> Bool {
    switch instructions[place] {
    case .scalar(let wanted): wanted >= 0x80
    case .set(let set): set.mayHaveOthers
    default: false
    }
  }

  private func contains(_ scalar: UInt32, _ set: ScalarSet) -> Bool {
    guard ignoresCase else { return set.contains(scalar) }
    let lower = Self.folded(scalar, true)
    let upper = (0x61...0x7a).contains(lower) ? lower - 0x20 : scalar
    return [lower, upper, scalar].contains(where: set.includes) != set.isNegated
  }

  /// Adds the threads to which `place` leads without a scalar, preferred ones first.
  private func follow(
    _ place: Int, from start: Int, at position: Int, in text: [UInt32], _ list: inout ThreadList
  ) {
    list.pending.append(place)
    while let place = list.pending.popLast() {
      guard list.visit(place) else { continue }
      switch instructions[place] {
      case .jump(let target): list.pending.append(target)
      case .split(let first, let second):
        list.pending.append(second)
        list.pending.append(first)
      case .start: if position == 0 { list.pending.append(place + 1) }
      case .end: if position == text.count { list.pending.append(place + 1) }
      case .boundary(let isWanted):
        let before = position > 0 && Self.isWord(text[position - 1])
        let after = position < text.count && Self.isWord(text[position])
        if (before != after) == isWanted { list.pending.append(place + 1) }
      default: list.threads.append((place, start))
      }
    }
  }

  private static func isWord(_ scalar: UInt32) -> Bool { ScalarSet.word.contains(scalar) }

  /// Returns whether `scalar` is a letter or a digit outside of ASCII.
  static func isLetter(_ scalar: UInt32) -> Bool {
    guard scalar >= 0x80, let properties = Unicode.Scalar(scalar)?.properties else { return false }
    return properties.isAlphabetic || properties.generalCategory == .decimalNumber
  }

  /// The branches that are followed, each with the position at which its match starts.
  private struct ThreadList {
    var threads: [(place: Int, start: Int)] = []
    /// The places that are still to be followed; the last is preferred.
    var pending: [Int] = []
    private var visits: [UInt32]
    private var visit: UInt32 = 1

    init(_ count: Int) { visits = Array(repeating: 0, count: count) }

    mutating func removeAll() {
      threads.removeAll(keepingCapacity: true)
      visit &+= 1
      if visit == 0 {
        visits = Array(repeating: 0, count: visits.count)
        visit = 1
      }
    }

    /// Returns whether `place` was not visited before.
    mutating func visit(_ place: Int) -> Bool {
      guard visits[place] != visit else { return false }
      visits[place] = visit
      return true
    }
  }
}

extension TextProgram.ScalarSet {
  static let digits = Self(ranges: [0x30...0x39])
  static let word = Self(
    ranges: [0x30...0x39, 0x41...0x5a, 0x5f...0x5f, 0x61...0x7a], hasLetters: true)
  static let space = Self(ranges: [0x09...0x0d, 0x20...0x20])
  /// Everything but a line feed.
  static let any = Self(ranges: [0x0a...0x0a], isNegated: true)

  /// The scalars that are not in the set.
  var inverted: Self { Self(ranges: ranges, hasLetters: hasLetters, isNegated: !isNegated) }
}
