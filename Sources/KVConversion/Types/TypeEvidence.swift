import KVModel

/// What the bytes of one value show about its type.
struct TypeEvidence {
  /// A value that several types have: false, 0 and what is empty; true and 1.
  enum Common { case zero, one }

  /// What it can be, the likeliest by its own bytes first.
  let readings: [Reading]
  /// The group of each reading.
  let groups: [TypeGroup]
  /// What is weighed of it.
  let signs: ValueSigns

  /// Which of the values it is that several types have, if it is one.
  var common: Common? { signs.common }

  /// The evidence of a value with these readings.
  init(_ readings: [Reading]) {
    let groups = Self.groups(of: readings)
    self.readings = readings
    self.groups = groups
    signs = ValueSigns(of: readings, groups)
  }

  /// The group of each of `readings`, which are those of one value.
  static func groups(of readings: [Reading]) -> [TypeGroup] {
    var double: Double?
    for reading in readings {
      if case .double(let number) = reading.value { double = number }
    }
    return readings.map { TypeGroup(of: $0, beside: double) }
  }

  /// What the type of a value weighs that its bytes do not fit: an app changes a key's type, but seldom.
  static let misfit = 0x1p-20

  /// The share of evidence from which on it decides.
  static let decisive = 0.9
}

/// What is weighed of the evidence of a value: small, for it is kept of the values of all keys that have
/// several.
struct ValueSigns: Hashable, Sendable {
  /// Which of the values it is that several types have, if it is one.
  private(set) var common: TypeEvidence.Common?
  /// Whether it is an integer below 128, of one byte.
  private(set) var isSmall = false
  /// Whether it can be an integer of 64 bits, and a list of some.
  private(set) var isWide = false
  private(set) var isWideList = false
  /// The likelihood of the likeliest reading of each group, as a step; ``none`` where there is no reading.
  private var steps = SIMD16<UInt8>(repeating: ValueSigns.none)

  private static let none = UInt8(Likelihood.allCases.count)
  /// What each step weighs, the last one that of no reading.
  private static let weights = Likelihood.allCases.map(\.weight) + [TypeEvidence.misfit]
  private static let weightsOfZero = GroupWeights { max($0.shareOfZero, TypeEvidence.misfit) }
  private static let weightsOfOne = GroupWeights { max($0.shareOfOne, TypeEvidence.misfit) }

  /// The signs of a value with `readings`, which are of `groups`.
  init(of readings: [Reading], _ groups: [TypeGroup]) {
    if case .int32(let number)? = readings.first?.value { isSmall = (0..<128).contains(number) }
    for (reading, group) in zip(readings, groups) {
      let step = UInt8(truncatingIfNeeded: reading.likelihood.rawValue)
      steps[group.rawValue] = min(steps[group.rawValue], step)
      switch reading.value {
      case .bool(let isTrue): common = isTrue ? .one : .zero
      case .int64: isWide = true
      case .list(.int64): isWideList = true
      default: break
      }
    }
  }

  /// How likely the bytes are if the value has a type of each group, in proportion.
  var weights: GroupWeights {
    switch common {
    case .zero: Self.weightsOfZero
    case .one: Self.weightsOfOne
    case nil: ofSteps(Self.weights)
    }
  }

  private func ofSteps(_ weights: [Double]) -> GroupWeights {
    GroupWeights { weights[Int(steps[$0.rawValue])] }
  }
}

extension Likelihood {
  /// What a reading of this step weighs: three bits for each, and more for the last.
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
