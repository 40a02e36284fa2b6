/// A regular expression as a program for a ``TextMachine``.
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
    return scalar < lowercase.count ? lowercase[Int(scalar)] : mapped(scalar)
  }

  /// The lowercase letter of each scalar of the first alphabets: looking them up takes long.
  private static let lowercase = (0..<0x3000).map { mapped($0) }

  private static func mapped(_ scalar: UInt32) -> UInt32 {
    guard let mapping = Unicode.Scalar(scalar)?.properties.lowercaseMapping.unicodeScalars,
      let first = mapping.first, mapping.count == 1, first.value >= 0x80
    else { return scalar }
    return first.value
  }

  /// Returns whether a match may begin with `scalar`, as far as one instruction tells.
  func mayBegin(with scalar: UInt32) -> Bool {
    switch instructions[0] {
    case .scalar, .set: takes(scalar, at: 0)
    default: true
    }
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

  /// Returns whether `scalar` is a letter or a digit outside of ASCII.
  static func isLetter(_ scalar: UInt32) -> Bool {
    guard scalar >= 0x80, let properties = Unicode.Scalar(scalar)?.properties else { return false }
    return properties.isAlphabetic || properties.generalCategory == .decimalNumber
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
