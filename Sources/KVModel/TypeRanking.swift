/// A type that the bytes of a value can have, and how well they fit it.
///
/// It holds no value, so weighing the types of many values builds none of them.
/// ``ValueReading/reading(of:as:keeping:)`` makes the value.
package struct TypeCandidate: Hashable, Sendable {
  /// The type, or that of a closer look at it, such as a time in a number or JSON in a text.
  package var kind: Value.Kind
  /// The type that is stored.
  package let stored: Value.Kind
  /// How strongly the bytes support it.
  package let likelihood: Likelihood
  /// The scale on which a time is counted.
  package let unit: EpochUnit?
  /// The reason, as a number of the format's own.
  package let reason: UInt8

  /// Creates a candidate; `stored` is `kind` if it is `nil`.
  package init(
    _ kind: Value.Kind, stored: Value.Kind? = nil, in unit: EpochUnit? = nil,
    _ likelihood: Likelihood, reason: UInt8
  ) {
    self.kind = kind
    self.stored = stored ?? kind
    self.unit = unit
    self.likelihood = likelihood
    self.reason = reason
  }
}

/// The types that the bytes of one value can have, likeliest first; among equals, in the order in
/// which they were added.
///
/// One ranking serves many values one after another, so that its memory is reserved once.
package struct TypeRanking: Sendable {
  /// The candidates; at least one once a value was ranked.
  package private(set) var candidates: [TypeCandidate] = []
  /// The byte of a value that has only one.
  package private(set) var onlyByte: UInt8?

  /// Creates an empty ranking.
  package init() {}

  /// Removes the candidates of the value before; `onlyByte` is the next value's, if it has only one.
  package mutating func begin(onlyByte: UInt8?) {
    candidates.removeAll(keepingCapacity: true)
    self.onlyByte = onlyByte
  }

  /// Adds a candidate after those of the same likelihood.
  package mutating func add(_ candidate: TypeCandidate) {
    var index = candidates.count
    while index > 0, candidates[index - 1].likelihood > candidate.likelihood { index -= 1 }
    candidates.insert(candidate, at: index)
  }

  /// Ranks the types of `readings`, all those of one value, whose order stays.
  package mutating func rank(_ readings: [Reading]) {
    var onlyByte: UInt8?
    for index in readings.indices {
      switch readings[index].value {
      case .bool(let isTrue): onlyByte = isTrue ? 1 : 0
      case .int32(let number) where onlyByte == nil && number < 0x80:
        onlyByte = UInt8(exactly: number)
      default: break
      }
    }
    begin(onlyByte: onlyByte)
    for (index, stored) in readings.storedKinds.enumerated() {
      candidates.append(
        TypeCandidate(
          readings[index].value.kind, stored: stored, readings[index].likelihood,
          reason: UInt8(truncatingIfNeeded: index)))
    }
  }

  /// Puts the first candidate that `isBest` in front, and returns whether there is one.
  package mutating func prefer(_ isBest: (TypeCandidate) -> Bool) -> Bool {
    guard let index = candidates.firstIndex(where: isBest) else { return false }
    if index > 0 { candidates.insert(candidates.remove(at: index), at: 0) }
    return true
  }

  /// Replaces a candidate of the type `other` with one of the type `kind`, in front of all.
  package mutating func replace(_ other: Value.Kind, with kind: Value.Kind) {
    guard let index = candidates.firstIndex(where: { $0.kind == other }) else { return }
    let candidate = candidates.remove(at: index)
    candidates.insert(
      TypeCandidate(kind, candidate.likelihood, reason: candidate.reason), at: 0)
  }

  /// Widens the first candidate to `kind`, which gives the same value.
  package mutating func widenFirst(to kind: Value.Kind) { candidates[0].kind = kind }
}

extension [Reading] {
  /// The type in which each of the readings of one value is stored: times as the number that counts
  /// them.
  package var storedKinds: [Value.Kind] {
    var double: Double?
    // By index, as an iterator would copy each reading.
    for index in indices {
      if case .double(let number) = self[index].value { double = number }
    }
    return map { reading in
      switch reading.value {
      case .json: .string
      case .date(let seconds): Self.storedKind(ofDate: seconds, beside: double)
      case let value: value.kind
      }
    }
  }

  /// Returns the number in which a time at `seconds` is counted, if the same bytes can be `double`.
  private static func storedKind(ofDate seconds: Double, beside double: Double?) -> Value.Kind {
    guard let double else { return .int64 }
    if double.bitPattern == seconds.bitPattern { return .date }
    return EpochUnit.times(in: double).contains { $0.seconds == seconds } ? .double : .int64
  }
}
