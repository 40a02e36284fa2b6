package import KVModel
package import KVRecovery

/// A time in a store's contents.
package struct TimelineMoment: Sendable {
  /// The part of an entry in which a time occurs.
  package enum Source: String, Sendable {
    /// The value is a date, or a number whose size suggests a time.
    case value
    /// The entry expires at the time.
    case expiry
  }

  /// The time.
  package let time: CountedTime
  /// The part of the entry in which it occurs.
  package let source: Source
  /// The key of the entry.
  package let key: Key
  /// The value that is the time; `nil` for an expiry time.
  package let value: Value?
  /// The state of the record; `nil` in a format without a log.
  package let state: HistoryEvent.RecordState?
  /// The bytes of the record; `nil` if the format does not tell.
  package let place: Place?
}

/// The times in a store's contents, the earliest first.
///
/// A number counts as a time by its size alone, so an ID of ten digits may be taken for one.
package struct Timeline: Sendable {
  /// The times; equal ones are in file order.
  package let moments: [TimelineMoment]

  /// Collects the times in all records of `store`, with its log read as in `state`.
  ///
  /// This includes superseded and removed records, and those after the log.
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
      var value: Value?
      if record.value.count <= Self.valueLimit {
        typing.weigh(record, in: store, keeping: Self.valueLimit, &weighed)
        if weighed.candidates[0].kind.canBeTime {
          value = weighed.reading(at: 0, of: record, in: store, keeping: Self.valueLimit).value
        }
      }
      let expiry = store.expiry(of: record) ?? 0
      guard value != nil || expiry != 0 else { return }
      found += Self.moments(
        value, expiry: expiry, store.key(of: record), fate, names.place(record.extent))
    }
    self.init(found)
  }

  /// Collects the times in `entries`.
  package init(of entries: [TypedEntry]) {
    self.init(
      entries.flatMap {
        Self.moments($0.value, expiry: $0.expiry, $0.key, nil, $0.origin.place)
      })
  }

  /// Sorts `moments` by time; equal ones keep their order.
  private init(_ moments: [TimelineMoment]) {
    self.moments = moments.enumerated().sorted {
      let (one, other) = ($0.element.time, $1.element.time)
      if one.seconds != other.seconds { return one.seconds < other.seconds }
      // Seconds have no more than microseconds; the text has all digits, before its last letter.
      let (digits, others) = (one.text.utf8.dropLast(), other.text.utf8.dropLast())
      if digits.lexicographicallyPrecedes(others) { return true }
      return digits.elementsEqual(others) && $0.offset < $1.offset
    }.map(\.element)
  }

  /// Returns the times of an entry: at most one for its value and one for its expiry.
  private static func moments(
    _ value: Value?, expiry: UInt32, _ key: Key, _ state: HistoryEvent.RecordState?,
    _ place: Place?
  ) -> [TimelineMoment] {
    var moments: [TimelineMoment] = []
    if let value, var time = value.time {
      // In a log, a date is the reading of a number that counts seconds since 1970.
      if state == nil, value.kind == .date { time = time.counted(in: .date) }
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

  /// The most bytes that the value of a number has, with the time at which it expires.
  private static let valueLimit = 16
}
