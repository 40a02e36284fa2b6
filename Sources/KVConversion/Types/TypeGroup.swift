import KVModel

/// The types that the bytes of a value can have been stored as, as far as bytes tell types apart.
///
/// Integers of all widths are one: the bytes are the same. A reading that is a closer look at a value,
/// JSON in a text or a time in a number, belongs to what was stored.
enum TypeGroup: Int, CaseIterable, Sendable {
  case bool, integer, float, double, date, string, bytes, archive
  case texts, blobs, integers, truthValues, floats, doubles

  /// What `reading` was stored as, one of the readings of a value of which one is `double`.
  init(of reading: Reading, beside double: Double?) {
    switch reading.value {
    case .bool: self = .bool
    case .int32, .uint32, .int64, .uint64: self = .integer
    case .float: self = .float
    case .double: self = .double
    case .date(let seconds):
      self = double.map { $0.bitPattern == seconds.bitPattern ? .date : .double } ?? .integer
    case .string, .json: self = .string
    case .keyedArchive: self = .archive
    case .list(let list):
      switch list {
      case .bool: self = .truthValues
      case .int32, .uint32, .int64, .uint64: self = .integers
      case .float: self = .floats
      case .double: self = .doubles
      case .string: self = .texts
      case .bytes: self = .blobs
      }
    case .bytes, .raw, .object, .set, .array, .dictionary, .null: self = .bytes
    }
  }

  /// Whether values of the type are lists.
  var isList: Bool { rawValue >= TypeGroup.texts.rawValue }

  /// How common values of the type are in the stores of apps, in keys: what is assumed before a store was
  /// seen, and as much as a handful of keys.
  var priorCount: Double {
    switch self {
    case .bool, .string: 1.5
    case .integer: 1
    case .double, .bytes, .texts: 0.4
    case .float, .date, .archive: 0.2
    case .integers, .floats, .doubles: 0.1
    case .blobs, .truthValues: 0.05
    }
  }

  /// How many of the values of the type are stored as the byte `00`: false, 0, and what is empty.
  var shareOfZero: Double {
    switch self {
    case .bool: 0.5
    case .integer: 0.13
    case .string: 0.08
    case .bytes: 0.05
    case .texts, .blobs, .integers, .truthValues, .floats, .doubles: 0.1
    case .float, .double, .date, .archive: 0
    }
  }

  /// How many of the values of the type are stored as the byte `01`: true and 1.
  var shareOfOne: Double {
    switch self {
    case .bool: 0.5
    case .integer: 0.1
    default: 0
    }
  }
}

/// A number for each group.
struct GroupWeights: Sendable {
  // There are many: no memory is allocated for them.
  private var weights: SIMD16<Double>

  /// The same number for all.
  init(_ weight: Double) { weights = Self.cut(SIMD16(repeating: weight)) }

  private init(lanes: SIMD16<Double>) { weights = lanes }

  /// The numbers with 0 in the two lanes that no group has.
  private static func cut(_ lanes: SIMD16<Double>) -> SIMD16<Double> {
    var lanes = lanes
    lanes[14] = 0
    lanes[15] = 0
    return lanes
  }

  /// The weight of each group by `weight`.
  init(_ weight: (TypeGroup) -> Double) {
    weights = SIMD16(repeating: 0)
    for group in Self.groups { weights[group.rawValue] = weight(group) }
  }

  subscript(_ group: TypeGroup) -> Double {
    get { weights[group.rawValue] }
    set { weights[group.rawValue] = newValue }
  }

  /// The sum of all.
  var sum: Double { weights.sum() }

  /// The numbers in proportion, so that their sum is 1; as they are where that is 0.
  var shares: GroupWeights {
    let sum = sum
    return sum > 0 ? self / sum : self
  }

  /// The group with the largest number; of several, the first.
  var best: TypeGroup {
    let most = weights.max()
    return Self.groups.first { self[$0] == most } ?? .bool
  }

  /// The largest number.
  var most: Double { weights.max() }

  /// The numbers, and 0 for those below it.
  var nonnegative: GroupWeights {
    var lanes = weights
    lanes.replace(with: 0, where: weights .< 0)
    return GroupWeights(lanes: lanes)
  }

  /// Of each two numbers the smaller one.
  func least(_ other: GroupWeights) -> GroupWeights {
    var lanes = weights
    lanes.replace(with: other.weights, where: other.weights .< weights)
    return GroupWeights(lanes: lanes)
  }

  /// Of each two numbers the larger one.
  func most(_ other: GroupWeights) -> GroupWeights {
    var lanes = weights
    lanes.replace(with: other.weights, where: other.weights .> weights)
    return GroupWeights(lanes: lanes)
  }

  static func * (one: GroupWeights, other: GroupWeights) -> GroupWeights {
    GroupWeights(lanes: one.weights * other.weights)
  }

  static func * (one: GroupWeights, factor: Double) -> GroupWeights {
    GroupWeights(lanes: one.weights * factor)
  }

  static func + (one: GroupWeights, other: GroupWeights) -> GroupWeights {
    GroupWeights(lanes: one.weights + other.weights)
  }

  static func / (one: GroupWeights, divisor: Double) -> GroupWeights {
    GroupWeights(lanes: one.weights / divisor)
  }

  /// - Precondition: No number of `other` is 0.
  static func / (one: GroupWeights, other: GroupWeights) -> GroupWeights {
    GroupWeights(lanes: cut(one.weights / other.weights))
  }

  // MARK: What is so of each group

  private static let groups = TypeGroup.allCases
  /// ``TypeGroup/priorCount`` of each.
  static let priorCounts = GroupWeights { $0.priorCount }
  /// ``TypeGroup/shareOfZero`` of each.
  static let sharesOfZero = GroupWeights { $0.shareOfZero }
  /// ``TypeGroup/shareOfOne`` of each.
  static let sharesOfOne = GroupWeights { $0.shareOfOne }
}
