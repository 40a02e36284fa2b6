import KVBytes

/// Choices among alternatives, one for each of several parts, whose effects on a linear checksum add
/// up to a wanted one.
///
/// CRC and XOR are linear: what a choice changes in the checksum is the exclusive or of what its parts
/// change. So no bytes are summed again. The choices for one half of the parts are kept in a table, and
/// those for the other half are looked up in it.
struct LinearChoice: Sendable {
  /// The most choices for one half of the parts.
  private static let halfLimit = 1 << 16
  /// The most solutions that are returned for one effect.
  private static let solutionLimit = 16

  /// The effects of each alternative of each part; that of the first is 0.
  private let effects: [[UInt64]]
  /// The number of parts in the first half.
  private let middle: Int
  /// The effects of all choices for the first half, in order.
  private let table: [(effect: UInt64, choice: Int)]
  /// The number of choices.
  let count: Double

  /// Creates the choices among alternatives with these effects; `nil` if there are too many.
  init?(_ effects: [[UInt64]]) {
    var middle = 0
    var half = 1
    while middle < effects.count, half * effects[middle].count <= Self.halfLimit,
      middle < (effects.count + 1) / 2
    {
      half *= effects[middle].count
      middle += 1
    }
    let rest = effects[middle...].reduce(1.0) { $0 * Double($1.count) }
    guard rest <= Double(Self.halfLimit) else { return nil }
    self.effects = effects
    self.middle = middle
    count = Double(half) * rest
    table = Self.sums(effects[..<middle]).enumerated().map { (effect: $1, choice: $0) }
      .sorted { $0.effect < $1.effect }
  }

  /// Returns the effect of every choice among `effects`, the alternatives of the first part varying
  /// fastest.
  private static func sums(_ effects: ArraySlice<[UInt64]>) -> [UInt64] {
    effects.reduce([0]) { sums, part in part.flatMap { own in sums.map { $0 ^ own } } }
  }

  /// Returns the choices whose effect is `wanted`, as the number of an alternative for each part.
  func solutions(for wanted: UInt64) -> [[Int]] {
    var found: [[Int]] = []
    for (choice, sum) in Self.sums(effects[middle...]).enumerated() {
      let needed = sum ^ wanted
      var index = table.partitioningIndex { $0.effect >= needed }
      while index < table.count, table[index].effect == needed {
        found.append(
          digits(table[index].choice, effects[..<middle]) + digits(choice, effects[middle...]))
        if found.count == Self.solutionLimit { return found }
        index += 1
      }
    }
    return found
  }

  private func digits(_ choice: Int, _ effects: ArraySlice<[UInt64]>) -> [Int] {
    var rest = choice
    return effects.map { part in
      defer { rest /= part.count }
      return rest % part.count
    }
  }
}
