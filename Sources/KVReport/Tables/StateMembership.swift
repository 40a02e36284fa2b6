import KVBytes
import KVModel
import KVRecovery

/// The states in which each record of a store is live.
struct StateMembership {
  /// A record that is live in a state.
  private struct Member {
    /// The file and the offset of the record.
    let place: UInt64
    /// A bit for each state; none for a record that was taken.
    var bits: Int
  }

  /// The records, by place: a table of a million takes a fifth of the time of a whole report.
  private var members: [Member] = []
  /// The index after that of the record that was taken last: most records are asked for in order.
  private var next = 0
  private let states: [StoreState]

  /// Creates an empty membership.
  init() { states = [] }

  /// Creates the memberships of the records that are live in `states` of `store`.
  ///
  /// A record whose value is missing is in none, because a state has no entry for it.
  init(_ states: [StoreState], of store: some Store) {
    self.states = states
    members.reserveCapacity(states.first?.snapshot.live.count ?? 0)
    for (index, state) in states.enumerated() {
      let isWhole = state.entryCount == state.snapshot.live.count
      for record in state.snapshot.live
      where isWhole || store.reasonForNoValue(of: record) == nil {
        members.append(Member(place: Self.place(record), bits: 1 << index))
      }
    }
    members.sort { $0.place < $1.place }
    var count = 0
    for member in members {
      if count > 0, members[count - 1].place == member.place {
        members[count - 1].bits |= member.bits
      } else {
        members[count] = member
        count += 1
      }
    }
    members.removeSubrange(count...)
  }

  private static func place(_ record: Record) -> UInt64 {
    UInt64(record.file.number) << 32 | UInt64(record.offset)
  }

  /// Returns the states in which `record` is live, one bit each, and removes the record.
  mutating func take(_ record: Record) -> Int {
    let place = Self.place(record)
    let isNext =
      (next == 0 || members[next - 1].place < place)
      && (next == members.count || place <= members[next].place)
    if !isNext { next = members.partitioningIndex { $0.place >= place } }
    guard next < members.count, members[next].place == place else { return 0 }
    defer {
      members[next].bits = 0
      next += 1
    }
    return members[next].bits
  }

  /// Returns the names of the states in `bits`.
  func names(_ bits: Int) -> [String] {
    bits == 0 ? [] : states.indices.filter { bits & 1 << $0 != 0 }.map { states[$0].name.rawValue }
  }

  /// The records that were not taken, because they are in other logs than that of the history.
  var rest: [(Record, Assessment)] {
    var places = Set(members.lazy.filter { $0.bits != 0 }.map(\.place))
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
