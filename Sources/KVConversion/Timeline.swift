package import KVModel
package import KVRecovery

/// A time that a store's contents name.
package struct TimelineMoment: Sendable {
  /// What names it.
  package enum Source: String, Sendable {
    /// A value is a date, or a number that counts time by its size.
    case value
    /// The entry expires then.
    case expiry
  }

  /// The time.
  package let time: CountedTime
  /// What names it.
  package let source: Source
  /// The key of the entry.
  package let key: Key
  /// The value that is the time; `nil` where the entry expires then.
  package let value: Value?
  /// What became of the record; `nil` in a format without a log.
  package let state: HistoryEvent.RecordState?
  /// Where the record is; `nil` in a format whose entries have no place.
  package let place: Place?
}

/// The times that a store's contents name, the earliest first.
///
/// A number is taken for a time by its size alone: an id of ten digits can be one by chance.
package struct Timeline: Sendable {
  /// The times; those that are equal in file order.
  package let moments: [TimelineMoment]

  /// The times in all records of `store`, its log read as in `state`: of live, superseded and removed
  /// ones, and of those after the log.
  ///
  /// - Complexity: O(size of the file), and O(*n* log *n*) for *n* times.
  package init<S: Store>(of store: S, by state: StoreState, _ typing: StoreTyping) {
    var found: [TimelineMoment] = []
    let names = store.files.roleNames
    var weighed = WeighedValues()
    History(of: store, by: state).forEach { event in
      guard case .record(let record, let fate, _) = event, record.operation != .remove else {
        return
      }
      let value = typing.readings(of: record, in: store, keeping: Self.valueLimit, &weighed)
        .first?.value
      found += Self.moments(
        value, expiry: store.expiry(of: record) ?? 0, store.key(of: record), fate,
        names.place(record.extent))
    }
    self.init(found)
  }

  /// The times in `entries`.
  package init(of entries: [TypedEntry]) {
    self.init(
      entries.flatMap {
        Self.moments($0.value, expiry: $0.expiry, $0.key, nil, $0.origin.place)
      })
  }

  /// `moments` in order; those at the same time stay as they are.
  private init(_ moments: [TimelineMoment]) {
    self.moments = moments.enumerated().sorted {
      ($0.element.time.seconds, $0.offset) < ($1.element.time.seconds, $1.offset)
    }.map(\.element)
  }

  /// The times that an entry names: one for its value, one for its expiry.
  private static func moments(
    _ value: Value?, expiry: UInt32, _ key: Key, _ state: HistoryEvent.RecordState?,
    _ place: Place?
  ) -> [TimelineMoment] {
    var moments: [TimelineMoment] = []
    if let value, let time = value.time {
      moments.append(
        TimelineMoment(
          time: time, source: .value, key: key, value: value, state: state, place: place))
    }
    if expiry != 0, let time = Value.date(Double(expiry)).time {
      moments.append(
        TimelineMoment(
          time: time, source: .expiry, key: key, value: nil, state: state, place: place))
    }
    return moments
  }

  /// No value that is a time has more bytes.
  private static let valueLimit = 16
}
