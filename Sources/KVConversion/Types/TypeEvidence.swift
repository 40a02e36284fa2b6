import KVModel

/// What the bytes of one value show about its type.
struct TypeEvidence {
  /// A value that several types have: false, 0 and what is empty; true and 1.
  enum Common { case zero, one }

  /// What it can be, the likeliest by its own bytes first.
  let readings: [Reading]
  /// The group of each reading.
  let groups: [TypeGroup]
  /// Which of the values it is that several types have, if it is one.
  let common: Common?

  /// The evidence of a value with these readings.
  init(_ readings: [Reading]) {
    var double: Double?
    var common: Common?
    for reading in readings {
      if case .double(let number) = reading.value { double = number }
      if case .bool(let isTrue) = reading.value { common = isTrue ? .one : .zero }
    }
    self.readings = readings
    self.common = common
    groups = readings.map { TypeGroup(of: $0, beside: double) }
  }

  /// Whether it is an integer below 128, of one byte.
  var isSmall: Bool {
    if case .int32(let number)? = readings.first?.value {
      (0..<128).contains(number)
    } else {
      false
    }
  }

  /// How likely the bytes are if the value has a type of each group, in proportion.
  var weights: GroupWeights {
    switch common {
    case .zero: return GroupWeights { max($0.shareOfZero, Self.misfit) }
    case .one: return GroupWeights { max($0.shareOfOne, Self.misfit) }
    case nil: break
    }
    var weights = GroupWeights(Self.misfit)
    for (reading, group) in zip(readings, groups) {
      weights[group] = max(weights[group], reading.likelihood.weight)
    }
    return weights
  }

  /// What the type of a value weighs that its bytes do not fit: an app changes a key's type, but seldom.
  static let misfit = 0x1p-20

  /// The share of evidence from which on it decides.
  static let decisive = 0.9
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
