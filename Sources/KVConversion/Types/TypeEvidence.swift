import KVModel

/// The evidence in the bytes of one value about its type.
struct TypeEvidence {
  /// A value that several types share: false, 0 and empty; or true and 1.
  enum Common { case zero, one }

  /// The possible readings, the likeliest by the value's own bytes first.
  let readings: [Reading]
  /// The group of each reading.
  let groups: [TypeGroup]
  /// The part of the evidence that is weighed.
  let signs: ValueSigns

  /// The shared value that this is; `nil` if it is none.
  var common: Common? { signs.common }

  /// Creates the evidence of a value with these readings.
  init(_ readings: [Reading]) {
    let groups = Self.groups(of: readings)
    self.readings = readings
    self.groups = groups
    signs = ValueSigns(of: readings, groups)
  }

  /// Returns the group of each of `readings`, which are all readings of one value.
  static func groups(of readings: [Reading]) -> [TypeGroup] {
    var double: Double?
    // By index, as an iterator would copy each reading.
    for index in readings.indices {
      if case .double(let number) = readings[index].value { double = number }
    }
    return readings.map { TypeGroup(of: $0, beside: double) }
  }

  /// The weight of a type that does not fit the bytes of a value.
  ///
  /// It is not 0, because an app may change the type of a key.
  static let misfit = 0x1p-20

  /// The smallest share of the evidence with which a surveyed key counts as of a group.
  static let decisive = 0.9
}

/// The part of a value's evidence that is weighed.
///
/// It is small, because it is kept for the values of every key that has several.
struct ValueSigns: Hashable, Sendable {
  /// The shared value that this is; `nil` if it is none.
  private(set) var common: TypeEvidence.Common?
  /// Whether the value is read first as an integer from 0 to 127, which takes one byte.
  private(set) var isSmall = false
  /// Whether the value can be an integer, or a list of integers, that needs 64 bits.
  private(set) var isWide = false
  private(set) var isWideList = false
  /// The ``Likelihood`` of the likeliest reading of each group, as its raw value; ``none`` if there
  /// is no reading.
  private var steps = SIMD16<UInt8>(repeating: ValueSigns.none)

  private static let none = UInt8(Likelihood.allCases.count)
  /// The weight of each raw value; the last is that of ``none``.
  private static let weights = Likelihood.allCases.map(\.weight) + [TypeEvidence.misfit]
  private static let weightsOfZero = GroupWeights { max($0.shareOfZero, TypeEvidence.misfit) }
  private static let weightsOfOne = GroupWeights { max($0.shareOfOne, TypeEvidence.misfit) }

  /// Creates the signs of a value with `readings`, whose groups are `groups`.
  init(of readings: [Reading], _ groups: [TypeGroup]) {
    if case .int32(let number)? = readings.first?.value { isSmall = (0..<128).contains(number) }
    for (index, group) in groups.enumerated() {
      let step = UInt8(truncatingIfNeeded: readings[index].likelihood.rawValue)
      steps[group.rawValue] = min(steps[group.rawValue], step)
      switch readings[index].value {
      case .bool(let isTrue): common = isTrue ? .one : .zero
      case .int64: isWide = true
      case .list(.int64): isWideList = true
      default: break
      }
    }
  }

  /// The relative likelihood of the bytes if the value has a type of each group.
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
  /// The weight of a reading with this likelihood: each step is three bits less, and the last six.
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
