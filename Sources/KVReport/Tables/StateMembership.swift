import KVModel
import KVRecovery

/// The states in which each record of a store is live.
struct StateMembership {
  /// A bit for each state, by the file and offset of the record.
  private var bits: [UInt64: Int] = [:]
  private let states: [StoreState]

  /// Creates an empty membership.
  init() { states = [] }

  /// Creates the memberships of the records that are live in `states` of `store`.
  ///
  /// A record whose value is missing is in none, because a state has no entry for it.
  init(_ states: [StoreState], of store: some Store) {
    self.states = states
    bits.reserveCapacity(states.first?.snapshot.live.count ?? 0)
    for (index, state) in states.enumerated() {
      let isWhole = state.entryCount == state.snapshot.live.count
      for record in state.snapshot.live
      where isWhole || store.obstacle(to: record, scan: .plain) == nil {
        bits[Self.place(record), default: 0] |= 1 << index
      }
    }
  }

  private static func place(_ record: Record) -> UInt64 {
    UInt64(record.file.number) << 32 | UInt64(record.offset)
  }

  /// Returns the states in which `record` is live, one bit each, and removes the record.
  mutating func take(_ record: Record) -> Int { bits.removeValue(forKey: Self.place(record)) ?? 0 }

  /// Returns the names of the states in `bits`.
  func names(_ bits: Int) -> [String] {
    bits == 0 ? [] : states.indices.filter { bits & 1 << $0 != 0 }.map { states[$0].name.rawValue }
  }

  /// The records that were not taken, because they are in other logs than that of the history.
  var rest: [(Record, Assessment)] {
    var places = Set(bits.keys)
    return states.flatMap { state in
      places.isEmpty
        ? []
        : state.snapshot.live.filter { places.remove(Self.place($0)) != nil }
          .map { ($0, state.assessment(of: $0)) }
    }
  }

  /// The state that reports show for records of other logs.
  static let otherLog = "other log"
}
