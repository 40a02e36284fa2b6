import KVBytes

/// An automaton that tells bytes in which a program matches no text, in one pass over them.
///
/// It is in one state at a time, which stands for all branches of the program that are followed, and
/// looks up the next state by the next byte. To miss nothing in bytes that are not decoded, it takes
/// more for a match than the program does: `^`, `$`, `\b` and `\B` match anywhere, a byte that is
/// not ASCII is taken for any number of scalars, and what leads to too many states is a match.
struct TextAutomaton: Sendable {
  /// The state in which the program has matched, and the one in which it begins.
  fileprivate static let (matched, first) = (0, 1)

  private let alphabet: Alphabet
  /// The next state for each state and class of bytes; empty if the program matches an empty text.
  private let table: [UInt16]
  /// Whether the program matches a text without ASCII.
  private let matchesWithoutASCII: Bool
  private let consumers: Set<Consumer>

  /// Creates the automaton of `program`, one of `count`, which share the time for making them.
  init(of program: TextProgram, oneOf count: Int) {
    // Most instructions are repetitions of others.
    var known: [TextProgram.Instruction: Consumer] = [:]
    let consumers = program.instructions.enumerated().map { place, instruction in
      let consumer = known[instruction] ?? Consumer(at: place, of: program)
      known[instruction] = consumer
      return consumer
    }
    self.consumers = Set(consumers)
    let alphabet = Alphabet(consumers)
    var states = StateTable(of: program, consumers, alphabet, workLimit: (1 << 21) / count)
    let table = states.filled()
    (self.alphabet, self.table) = (alphabet, table)
    matchesWithoutASCII = Self.leads(table, alphabet, by: [.max])
  }

  /// Whether the program matches some number as text.
  var matchesNumbers: Bool {
    Self.leads(table, alphabet, by: "0123456789+-.e".utf8)
      || ["-inf", "nan"].contains { mayMatch(in: Array($0.utf8).storageSpan) }
  }

  /// Returns whether the first state leads to a match by `bytes` alone, in any order.
  private static func leads(
    _ table: [UInt16], _ alphabet: Alphabet, by bytes: some Sequence<UInt8>
  ) -> Bool {
    guard !table.isEmpty else { return true }
    let classes = Set(bytes.map { Int(alphabet.classes[Int($0)]) })
    var (pending, known) = ([first], Set([first]))
    while let state = pending.popLast() {
      for next in classes.map({ Int(table[state * alphabet.samples.count + $0]) }) {
        if next == matched { return true }
        if known.insert(next).inserted { pending.append(next) }
      }
    }
    return false
  }

  /// Returns whether an instruction takes `byte`.
  func takes(_ byte: UInt8) -> Bool { consumers.contains { $0.takes(byte) } }

  // MARK: Matching

  /// Returns `false` if the program matches no text in UTF-8 that is among `bytes`.
  ///
  /// - Complexity: O(`bytes.count`).
  func mayMatch(in bytes: Span<UInt8>) -> Bool {
    mayMatch(0..<bytes.count) { bytes[$0] }
  }

  /// Returns `false` if the program matches no text in UTF-16 that is among `bytes`.
  ///
  /// - Complexity: O(`bytes.count`).
  func mayMatchWide(in bytes: Span<UInt8>) -> Bool {
    if matchesWithoutASCII { return bytes.count > 1 }
    // ASCII has a zero in each unit.
    guard bytes.firstZero != nil else { return false }
    for start in 0..<min(2, bytes.count) {
      for high in 0..<2 {
        let isMatch = mayMatch(0..<(bytes.count - start) / 2) { unit in
          let offset = start + 2 * unit
          return bytes[offset + high] == 0 ? bytes[offset + 1 - high] : .max
        }
        if isMatch { return true }
      }
    }
    return false
  }

  @inline(__always)
  private func mayMatch(_ offsets: Range<Int>, _ byte: (Int) -> UInt8) -> Bool {
    guard !table.isEmpty else { return true }
    let (classes, table) = (alphabet.classes.storageSpan, table.storageSpan)
    let classCount = alphabet.samples.count
    var state = Self.first
    for offset in offsets {
      state = Int(table[state * classCount + Int(classes[Int(byte(offset))])])
      if state == Self.matched { return true }
    }
    return false
  }
}

/// What an instruction takes.
private struct Consumer: Hashable {
  /// A bit for each ASCII scalar.
  private let low: UInt64, high: UInt64
  /// Whether it takes some scalar that is not ASCII.
  private let takesOthers: Bool

  init(at place: Int, of program: TextProgram) {
    func mask(from first: UInt32) -> UInt64 {
      (0..<64).reduce(0) { program.takes(first + $1, at: place) ? $0 | 1 << UInt64($1) : $0 }
    }
    (low, high) = (mask(from: 0), mask(from: 64))
    // In the UTF-8 of Java, a zero is not ASCII.
    takesOthers = program.mayTakeOthers(at: place) || low & 1 != 0
  }

  func takes(_ byte: UInt8) -> Bool {
    guard byte < 0x80 else { return takesOthers }
    return (byte < 64 ? low : high) >> UInt64(byte % 64) & 1 != 0
  }
}

/// The classes of bytes: the same instructions take those of one class.
private struct Alphabet {
  /// The class of each byte; that of the bytes that are not ASCII is the first.
  let classes: [UInt8]
  /// A byte of each class.
  let samples: [UInt8]

  init(_ consumers: [Consumer]) {
    var classes = [UInt8](repeating: 1, count: 128) + [UInt8](repeating: 0, count: 128)
    var samples: [UInt8] = [.max, 0]
    var known: Set<Consumer> = []
    for consumer in consumers where known.insert(consumer).inserted {
      // Those of a class that are not taken as its sample is become a class of their own.
      var parts: [UInt8: UInt8] = [:]
      for byte in UInt8(0)..<128 {
        let own = classes[Int(byte)]
        guard consumer.takes(byte) != consumer.takes(samples[Int(own)]) else { continue }
        let part = parts[own] ?? UInt8(samples.count)
        if parts.updateValue(part, forKey: own) == nil { samples.append(byte) }
        classes[Int(byte)] = part
      }
    }
    (self.classes, self.samples) = (classes, samples)
  }
}

/// The states of an automaton, each of which is the set of places at which the program may be.
private struct StateTable {
  /// The number of states at which all others are a match.
  private static let limit = 1 << 11

  private let program: TextProgram
  private let consumers: [Consumer]
  private let alphabet: Alphabet
  /// The places of each state at which an instruction takes a scalar, in order.
  private var states: [[UInt16]] = []
  private var numbers: [[UInt16]: UInt16] = [:]
  /// The number of places in all states that are looked at before the rest is a match.
  private let workLimit: Int
  private var workCount = 0

  init(
    of program: TextProgram, _ consumers: [Consumer], _ alphabet: Alphabet, workLimit: Int
  ) {
    self.program = program
    self.workLimit = workLimit
    self.consumers = consumers
    self.alphabet = alphabet
  }

  /// Returns the next state for each state and class; nothing if the program matches an empty text.
  mutating func filled() -> [UInt16] {
    guard let first = places(after: []) else { return [] }
    states = [[], first]
    numbers = [first: UInt16(TextAutomaton.first)]
    var table = [UInt16](repeating: UInt16(TextAutomaton.matched), count: alphabet.samples.count)
    var state = TextAutomaton.first
    while state < states.count {
      for byte in alphabet.samples { table.append(next(after: states[state], byte)) }
      state += 1
    }
    return table
  }

  private mutating func next(after state: [UInt16], _ byte: UInt8) -> UInt16 {
    workCount += state.count
    let matched = UInt16(TextAutomaton.matched)
    guard workCount < workLimit else { return matched }
    let taken = state.filter { consumers[Int($0)].takes(byte) }.map { Int($0) + 1 }
    // A byte that is not ASCII may also be no scalar, or belong to the one before it.
    guard let places = places(after: taken, and: byte < 0x80 ? [] : state) else { return matched }
    if let number = numbers[places] { return number }
    guard states.count < Self.limit else { return matched }
    let number = UInt16(states.count)
    states.append(places)
    numbers[places] = number
    return number
  }

  /// Returns the places that take a scalar to which `places` and the beginning of the program lead,
  /// and `others`, which are such places; `nil` if there is a match among them.
  private mutating func places(
    after places: [Int], and others: [UInt16] = []
  ) -> [UInt16]? {
    var found = Set(others)
    var known: Set<Int> = []
    var pending = places + [0]
    while let place = pending.popLast() {
      guard known.insert(place).inserted else { continue }
      workCount += 1
      switch program.instructions[place] {
      case .match: return nil
      case .jump(let target): pending.append(target)
      case .split(let first, let second): pending += [first, second]
      case .start, .end, .boundary: pending.append(place + 1)
      case .scalar, .set: found.insert(UInt16(place))
      }
    }
    return found.sorted()
  }
}
