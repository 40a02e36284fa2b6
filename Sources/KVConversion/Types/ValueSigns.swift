import KVModel

/// What the bytes of one value show about its type, in one word: it is kept for the values of every
/// key that has several, and compared often.
///
///     bits      meaning
///     0–41      three for each group: its likelihood, as a raw value; 5 if it has none
///     42, 43    the value is the byte 00, or 01, which several types share
///     44        the value is read first as an integer from 0 to 127, which takes one byte
///     45, 46    it can be an integer, or a list of integers, that needs 64 bits
struct ValueSigns: Hashable, Sendable {
  /// A value that several types share: false, 0 and empty; or true and 1.
  enum Common { case zero, one }

  /// The weight of a type that does not fit the bytes of a value.
  ///
  /// It is not 0, because an app may change the type of a key.
  static let misfit = 0x1p-20

  private static let none = UInt64(Likelihood.allCases.count)
  private static let empty = TypeGroup.allCases.reduce(0) { $0 | none << UInt64($1.rawValue * 3) }
  private static let zeroBit: UInt64 = 1 << 42
  private static let oneBit: UInt64 = 1 << 43
  private static let smallBit: UInt64 = 1 << 44
  private static let wideBit: UInt64 = 1 << 45
  private static let wideListBit: UInt64 = 1 << 46

  let bits: UInt64

  /// Creates the signs with these bits.
  init(bits: UInt64) { self.bits = bits }

  /// Creates the signs of a value whose types were ranked.
  init(of ranking: TypeRanking) {
    var bits = Self.empty
    for candidate in ranking.candidates {
      let shift = UInt64(TypeGroup(of: candidate.stored).rawValue * 3)
      let step = UInt64(candidate.likelihood.rawValue)
      if step < bits >> shift & 7 { bits = bits & ~(7 << shift) | step << shift }
      switch candidate.kind {
      case .bool: bits |= ranking.onlyByte == 0 ? Self.zeroBit : Self.oneBit
      case .int64: bits |= Self.wideBit
      case .int64List: bits |= Self.wideListBit
      default: break
      }
    }
    if let byte = ranking.onlyByte, byte < 0x80, ranking.candidates.first?.kind == .int32 {
      bits |= Self.smallBit
    }
    self.bits = bits
  }

  /// The shared value that this is; `nil` if it is none.
  var common: Common? {
    bits & Self.zeroBit != 0 ? .zero : bits & Self.oneBit != 0 ? .one : nil
  }

  /// Whether the value is read first as an integer from 0 to 127.
  var isSmall: Bool { bits & Self.smallBit != 0 }
  /// Whether the value can be an integer that needs 64 bits.
  var isWide: Bool { bits & Self.wideBit != 0 }
  /// Whether the value can be a list of integers that need 64 bits.
  var isWideList: Bool { bits & Self.wideListBit != 0 }

  private func step(_ group: TypeGroup) -> Int {
    Int(truncatingIfNeeded: bits >> UInt64(group.rawValue * 3) & 7)
  }

  /// 1 for each group that the value can have, otherwise 0.
  var groups: GroupWeights {
    GroupWeights { group in
      common == .zero && group.shareOfZero > 0 || step(group) < Self.none ? 1 : 0
    }
  }

  /// The relative likelihood of the bytes if the value has a type of each group.
  var weights: GroupWeights {
    switch common {
    case .zero: Self.weightsOfZero
    case .one: Self.weightsOfOne
    case nil: GroupWeights { Self.weights[step($0)] }
    }
  }

  /// The weight of each likelihood, by raw value; the last is that of ``none``.
  private static let weights = Likelihood.allCases.map(\.weight) + [misfit]
  private static let weightsOfZero = GroupWeights { max($0.shareOfZero, misfit) }
  private static let weightsOfOne = GroupWeights { max($0.shareOfOne, misfit) }
}

extension Likelihood {
  /// The weight of a type with this likelihood: each step is three bits less, and the last six.
  fileprivate var weight: Double {
    switch self {
    case .compelling: 1
    case .likely: 0x1p-3
    case .plausible: 0x1p-6
    case .possible: 0x1p-9
    case .remote: 0x1p-15
    }
  }
}
