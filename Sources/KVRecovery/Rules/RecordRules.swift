import KVBytes
import KVModel

/// The state of logs in which each record has a checksum of its own.
enum RecordChecksums: LogRule {
  static let id: RuleID = "log.record-checksums"
  static let premise = """
    each record has a checksum of its own, the end of the log is known, and no checksum matches \
    over another log
    """
  static let conclusion =
    "a log is whole if all of it decodes, and each record is as good as its own checksum says"
  static let ceiling = Evidence.checksum
  static let failure = """
    1 in 2^16 for each damaged record. If whole older blocks replace newer ones: most of 599 \
    wrong entries, shown as sound, in 99,877 damaged stores of FastKV for iOS
    """

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    guard investigation.store.traits.hasRecordChecksums, investigation.name != .beforeReset,
      !investigation.isEndShown, !investigation.isIncomplete, !investigation.isEndUnverified,
      investigation.name != .current || !isOutvoted(investigation)
    else { return [] }
    return [Conclusion(.state, by: Self.self)]
  }

  /// Returns whether a checksum matches over a log other than the one that the store uses.
  private static func isOutvoted<S: Store>(_ investigation: Investigation<S>) -> Bool {
    investigation.store.lengthClaims.contains {
      $0.role == .alternate && $0.isVerified && $0.log != investigation.log
    }
  }
}

/// A record whose own checksum matches after a correction.
enum CorrectedRecord: EvidenceRule {
  static let id: RuleID = "log.corrected-record"
  static let premise =
    "a record's own checksum matches after a correction of 12 bits or more, which a finding names"
  static let conclusion = "the record is as it was stored"
  static let ceiling = Evidence.corrected
  static let failure =
    "as often as its odds say: none of 6,390 such corrections of FastKV for iOS was false"
}

/// Records that have no checksum of their own, or one that covers only part of them.
enum PartialChecksum: LogRule {
  static let id: RuleID = "log.partial-checksum"
  static let premise =
    "records have checksums of their own, but this one has none, or one that covers only part of it"
  static let conclusion = "nothing shows that the rest of the record is as it was stored"
  static let ceiling = Evidence.structure
  static let failure = "most such records are as they were stored"

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    guard investigation.store.traits.hasRecordChecksums, let log = investigation.log else {
      return []
    }
    return [
      Conclusion(.uncovered(.unchecked(in: log, outside: nil), [.mayBeDamaged]), by: Self.self)
    ]
  }
}

/// Records whose own checksum does not match.
enum ContradictedRecord: LogRule {
  static let id: RuleID = "log.contradicted-record"
  static let premise =
    "a record's own checksum does not match, although its lengths fit what is around it"
  static let conclusion = "the key or the value has changed since it was stored"
  static let ceiling = Evidence.structure
  static let failure = "if the checksum itself changed, which is 2 bytes of the record"

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    guard let log = investigation.log, !investigation.snapshot.contradicted.isEmpty else {
      return []
    }
    return [Conclusion(.limit(.contradicted(in: log), [.mayBeDamaged]), by: Self.self)]
  }
}

/// Entries that may have been set again or removed by a record whose own checksum does not match.
///
/// The record's lengths agree with the surrounding bytes. So its key still has its original length,
/// whatever its bytes were; or two lengths were exchanged, and its key is still there, in whole,
/// where the stated one begins or ends.
enum KeyLength: LogRule {
  static let id: RuleID = "log.key-length"
  static let premise = """
    a later record, whose own checksum does not match, has a key of the same length, or has this \
    key at either end of its own
    """
  static let conclusion = "it may be the newer value of this key, or its removal"
  static let ceiling = Evidence.structure
  static let failure = "the caution is needless for all keys of that length except one"

  /// The longest key, in bytes, that is looked for where another length may have been.
  private static let keyLimit = 256

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    let (live, records) = (investigation.snapshot.live, investigation.snapshot.contradicted)
    guard let log = investigation.log, !records.isEmpty else { return [] }
    let last = Dictionary(records.map { ($0.key.count, $0.offset) }) { _, last in last }
    let inLog = live.filter { log.contains($0.extent) }
    let stale =
      inLog.filter { $0.offset < last[$0.key.count] ?? 0 }
      + atBounds(of: records, among: inLog, in: investigation.store)
    return stale.isEmpty ? [] : [Conclusion(.stale(.records(Set(stale))), by: Self.self)]
  }

  /// Returns the entries of `live` whose key is where the key of a later one of `records` begins or
  /// ends.
  ///
  /// - Complexity: Linear in the bytes of `records` and the number of entries, times the number of
  ///   different lengths of keys, which is limited.
  private static func atBounds<S: Store>(
    of records: [Record], among live: [Record], in store: S
  ) -> [Record] {
    let short = live.filter { $0.key.count <= keyLimit }
    let byKey = Dictionary(short.map { (store.key(of: $0), $0) }) { _, last in last }
    let counts = Set(short.map(\.key.count))
    return records.flatMap { record in
      let image = store.decoded(record.file)
      return counts.flatMap { count -> [Record] in
        let places = [
          record.key.lowerBound..<record.key.lowerBound + count,
          record.key.upperBound - count..<record.key.upperBound,
        ]
        return places.compactMap { place in
          guard record.offset <= place.lowerBound, place.upperBound <= record.value.upperBound,
            let found = byKey[Key(image.bytes(in: place))], found.offset < record.offset
          else { return nil }
          return found
        }
      }
    }
  }
}

/// Records of a log for which no checksum matches.
enum Unverified: LogRule {
  static let id: RuleID = "log.unverified"
  static let premise = """
    a stored checksum shows that bytes of the log have changed, or the checksum is lost; no older \
    checksum covers the record
    """
  static let conclusion = "any value may have changed, although its record decodes"
  static let ceiling = Evidence.structure
  static let failure = """
    most such entries are right: 52,190 of 67,624 in randomly damaged stores of MMKV. All of the \
    wrong ones had a caution
    """

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    guard investigation.isUnverified, let log = investigation.log else { return [] }
    let subject = Subject.unchecked(in: log, outside: investigation.confirmedLog)
    return [Conclusion(.limit(subject, [.mayBeDamaged]), by: Self.self)]
  }
}

/// The part of an unverified log that an older checksum covers.
enum ConfirmedPart: LogRule {
  static let id: RuleID = "log.confirmed-part"
  static let premise = """
    no checksum matches over the log, but that of the last full rewrite matches over the part with \
    this record
    """
  static let conclusion =
    "the value is as it was stored, but may have been set again in the damaged part"
  static let ceiling = Evidence.structure
  static let failure =
    "as `log.checksum` for the bytes of the value; for its age, whenever the key was set again"

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    guard investigation.isUnverified, let confirmed = investigation.confirmedLog else { return [] }
    return [Conclusion(.stale(.within(confirmed)), by: Self.self)]
  }
}

/// Records before a gap.
enum BeforeGap: LogRule {
  static let id: RuleID = "log.before-gap"
  static let premise = "unreadable bytes follow the record"
  static let conclusion = "a newer value of the key, or its removal, may have been there"
  static let ceiling = Evidence.structure
  static let failure = "the caution is needless for all keys except those that were there"

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    guard let log = investigation.log, let gap = investigation.snapshot.gaps.last,
      gap.extent.offset > log.offset
    else { return [] }
    let before = Extent(log.file, log.offset..<gap.extent.offset)
    return [Conclusion(.stale(.beginning(in: before)), by: Self.self)]
  }
}

/// Bytes that no stored checksum covers in decoded form.
enum UncoveredBytes: LogRule {
  static let id: RuleID = "log.uncovered-bytes"
  static let premise =
    "the record shares bytes with the first block of an encrypted log, whose vector no checksum covers"
  static let conclusion = "the checksum says nothing about what these bytes decrypt to"
  static let ceiling = Evidence.structure
  static let failure =
    "the vector is right in all but about 1 of 2^15 stores: the entry is then as good as any other"

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    guard let uncovered = investigation.store.traits.uncovered else { return [] }
    return [Conclusion(.uncovered(.overlapping(uncovered), []), by: Self.self)]
  }
}

/// Records after a gap.
///
/// Reading that begins at a wrong offset may yield a record that never existed. It is in sync again
/// after a few records.
enum Resynchronized: LogRule {
  static let id: RuleID = "log.resynchronized"
  static let premise = """
    the record follows a gap and has no checksum of its own. It is not the third or a later \
    plausible record in a run that leads to a known end
    """
  static let conclusion = "the start of the record was found by resynchronizing"
  static let ceiling = Evidence.guess
  static let failure =
    "2,946 of 17,770 such entries in randomly damaged stores of MMKV are wrong (17%)"

  /// The number of plausible records in a row after which reading is in sync again.
  ///
  /// The elements of a list are read as records too, few of which are plausible.
  private static let stepCount = 2
  /// The number of records after the last gap among which they are searched for.
  private static let sampleCount = 256

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    guard let log = investigation.log, let gap = investigation.snapshot.gaps.first else {
      return []
    }
    let end = anchor(investigation, log) ?? log.end
    let guessed = Extent(log.file, gap.extent.offset..<max(gap.extent.offset, end))
    return [Conclusion(.limit(.unchecked(in: guessed, outside: nil), []), by: Self.self)]
  }

  /// Returns the offset after which records that follow the last gap are known to be in sync; `nil`
  /// if there is none.
  private static func anchor<S: Store>(
    _ investigation: Investigation<S>, _ log: Extent
  ) -> Int? {
    guard investigation.name == .salvaged, let gap = investigation.snapshot.gaps.last,
      investigation.isEndShown || log == investigation.lengthClaim?.log
    else { return nil }
    let rest = Extent(log.file, gap.extent.end..<log.end)
    var records: [Record] = []
    for case .record(let record) in investigation.store.records(in: rest, scan: .plain) {
      records.append(record)
      if records.count == sampleCount { break }
    }
    let odd = Set(investigation.store.implausible(records))
    var count = 0
    for record in records {
      count = odd.contains(record) ? 0 : count + 1
      if count == stepCount { return record.extent.end }
    }
    return nil
  }
}

/// Records that are implausible.
enum ImplausibleRecord: LogRule {
  static let id: RuleID = "log.implausible-record"
  static let premise =
    "no checksum matches over the log, and the plausibility model of the format rejects the record"
  static let conclusion = "the record may be out-of-sync bytes that decode by accident"
  static let ceiling = Evidence.guess
  static let failure = "for keys that are hashes or integers, and values of unusual shapes"

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    guard !investigation.isEndShown else { return [] }
    let records = investigation.store.implausible(investigation.snapshot.live)
      .filter { !investigation.isSettled($0) }
    guard !records.isEmpty else { return [] }
    let byFormat = Dictionary(grouping: records) { investigation.store.rule(against: $0) }
    return [Conclusion(.limit(.records(Set(records)), []), by: Self.self)]
      + byFormat.compactMap { rule, records in
        rule.map { Conclusion(.limit(.records(Set(records)), []), by: $0, ceiling) }
      }
  }
}
