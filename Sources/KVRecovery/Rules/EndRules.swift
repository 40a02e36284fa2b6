import KVBytes
import KVModel

/// The log as the current length claim describes it, if its checksum matches.
enum LogChecksum: LogRule {
  static let id: RuleID = "log.checksum"
  static let premise =
    "the stored checksum matches over as many bytes as the store says the log has"
  static let conclusion = "these bytes are the log, as the app stored it"
  static let ceiling = Evidence.checksum
  static let failure = """
    if changes cancel out: 1 in 2^32 for CRC-32. With the lanes of FastKV for Android: 388 wrong \
    entries, shown as sound, in 97,765 damaged stores
    """

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    guard let lengthClaim = investigation.lengthClaim, lengthClaim.isVerified,
      let log = lengthClaim.log
    else {
      return []
    }
    let reason =
      "\(lengthClaim.count.inBytes) (\(lengthClaim.origin)); the checksum matches"
      + (lengthClaim.correctedBy == nil ? "" : " after the correction")
    var found = [Conclusion(.log(log), by: Self.self, .checksum, reason)]
    if let correction = lengthClaim.correctedBy {
      found.append(Conclusion(.log(log), by: correction, .corrected, reason))
    }
    return found
  }
}

/// The log as the current length claim describes it, if no checksum matches.
enum StatedLength: LogRule {
  static let id: RuleID = "log.stated-length"
  static let premise =
    "the store says how long its log is, and no checksum matches over that length"
  static let conclusion = "these bytes are what the store itself takes for its log"
  static let ceiling = Evidence.structure
  static let failure = "if the length is what is damaged"

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    guard let lengthClaim = investigation.lengthClaim, let log = investigation.log else {
      return []
    }
    let reason = "\(lengthClaim.count.inBytes) (\(lengthClaim.origin))"
    return lengthClaim.byFormat + [Conclusion(.log(log), by: Self.self, .structure, reason)]
  }
}

/// The log as it was at the last full rewrite.
enum ConfirmedLog: LogRule {
  static let id: RuleID = "log.confirmed"
  static let premise = "the checksum stored at the last full rewrite matches"
  static let conclusion = "the store was in this state after that rewrite"
  static let ceiling = Evidence.checksum
  static let failure = "as `log.checksum`; anything written since then is missing"

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    guard let lengthClaim = investigation.lengthClaim, let log = investigation.log else {
      return []
    }
    return [
      Conclusion(
        .log(log), by: Self.self, lengthClaim.isCorrected ? .corrected : .checksum,
        "\(lengthClaim.count.inBytes) (\(lengthClaim.origin)); the checksum matches"
      )
    ]
  }
}

/// The log according to a length that the store does not use, but whose checksum matches.
enum AlternateLength: LogRule {
  static let id: RuleID = "log.alternate-length"
  static let premise = "a stored checksum matches over the length that another field states"
  static let conclusion = "that is the log; if two such lengths match, the longer one"
  static let ceiling = Evidence.checksum
  static let failure = "as `log.checksum`"

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    let others = investigation.store.lengthClaims.filter {
      $0.role == .alternate && $0.isVerified && $0.count > 0
    }
    guard let lengthClaim = others.max(by: { $0.count < $1.count }), let log = lengthClaim.log
    else {
      return []
    }
    let end = Conclusion(
      .log(log), by: Self.self, .checksum,
      "\(lengthClaim.count.inBytes) (\(lengthClaim.origin)); the checksum matches there"
    )
    let ends = lengthClaim.byFormat + [end]
    guard lengthClaim.isEndUnverified else { return ends }
    return ends + [Conclusion(.stale(.beginning(in: log)), by: UnverifiedEnd.self, .structure)]
  }
}

/// The end of a log if the format itself considers that end uncertain.
enum UnverifiedEnd: LogRule {
  static let id: RuleID = "log.unverified-end"
  static let premise =
    "the format cannot tell the end of the log from the beginning of older contents"
  static let conclusion = "a newer value of any key may be missing"
  static let ceiling = Evidence.structure
  static let failure = "most such ends are right, and nothing is missing"

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    guard let lengthClaim = investigation.lengthClaim, lengthClaim.isEndUnverified,
      !investigation.isEndShown,
      let log = investigation.log
    else { return [] }
    return [Conclusion(.stale(.beginning(in: log)), by: Self.self)]
  }
}

/// The stated length, if it agrees with the ends of records.
enum BelievableLength: LogRule {
  static let id: RuleID = "log.believable-length"
  static let premise = """
    no checksum decides. The stated length leads to the end of a record or beyond the last one, \
    or is off by the bytes that the file has too many or too few
    """
  static let conclusion = "the log has the stated length"
  static let ceiling = Evidence.structure
  static let failure = "if damage changed the length to another one that ends after a record"

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    guard let lengthClaim = investigation.lengthClaim, let log = lengthClaim.log, log.count > 0,
      let chain = investigation.records?.chain
    else { return [] }
    // If each record has a checksum, the format itself compares the size with the records.
    guard investigation.store.traits.hasRecordChecksums || log.end >= chain.end || chain.meetsSize
    else { return [] }
    let end = displacedEnd(of: log, investigation)
    let area = investigation.area
    return [
      Conclusion(
        .log(Extent(area.file, area.offset..<max(end ?? log.end, investigation.confirmedEnd))),
        by: Self.self, .structure,
        "\(lengthClaim.count.inBytes) (\(lengthClaim.origin)"
          + (end.map {
            ", with \(abs($0 - log.end)) bytes \($0 > log.end ? "inserted" : "deleted")"
          } ?? "")
          + "), reading past damage")
    ]
  }

  /// Returns the end of the log if bytes were inserted into its file or deleted; `nil` if a record
  /// ends at the stated end, or no other end is found.
  ///
  /// The end is that of a record which is off the stated end by the number of those bytes, or that
  /// of the record which lies across the stated end.
  private static func displacedEnd<S: Store>(
    of log: Extent, _ investigation: Investigation<S>
  ) -> Int? {
    let displacement = investigation.store.traits.displacement
    let displaced = log.end + displacement
    guard displacement != 0 else { return nil }
    var end: Int?
    for case .record(let record) in investigation.store.records(
      in: investigation.written.extent, scan: .plain, around: investigation.written.gaps)
    {
      if record.extent.end == log.end { return nil }
      if record.extent.end == displaced { end = displaced }
      if record.offset >= max(log.end, displaced) { break }
      let isAcross = record.offset < log.end && record.extent.end > log.end
      if isAcross, record.extent.end <= displaced { end = end ?? record.extent.end }
    }
    return end
  }
}

/// The remaining bytes of a log that is longer than its file.
enum CutFile: LogRule {
  static let id: RuleID = "log.cut-file"
  static let premise =
    "the stated length is beyond the file, but not more than 16 times what is there"
  static let conclusion =
    "the file was truncated: all that is left is the log, and its end is missing"
  static let ceiling = Evidence.structure
  static let failure =
    "if the length is what is damaged: older records after the log then count as newer"

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    let area = investigation.area
    guard let lengthClaim = investigation.lengthClaim, lengthClaim.log == nil,
      !lengthClaim.isAbsurd(for: area)
    else { return [] }
    let log = investigation.written.extent
    return [
      Conclusion(
        .log(log), by: Self.self, .structure,
        "all \(area.count.grouped) remaining bytes of \(lengthClaim.count.grouped) (\(lengthClaim.origin))"
      ),
      Conclusion(.incomplete(log), by: Self.self, .structure),
    ]
  }
}

/// The records from the start of the log to the first damage.
enum BrokenChain: LogRule {
  static let id: RuleID = "log.broken-chain"
  static let premise = "neither a checksum nor a length decides"
  static let conclusion = """
    the log ends at the first damage or the first hole, but not before the end of the last full \
    rewrite
    """
  static let ceiling = Evidence.structure
  static let failure =
    "if records follow the damage: they are in the slack of the state, and the history shows them"

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    guard let chain = investigation.records?.chain else { return [] }
    let area = investigation.area
    let log = Extent(area.file, area.offset..<max(chain.end, investigation.confirmedEnd))
    let end = Conclusion(
      .log(log), by: Self.self, .structure,
      "\(log.count.inBytes), up to where the records stop")
    guard chain.isBroken else { return [end] }
    return [end, Conclusion(.incomplete(log), by: Self.self, .structure)]
  }
}

extension LengthClaim {
  /// Returns whether the claim is so many times longer than `area` that it is damaged itself, and shows
  /// nothing about the file.
  func isAbsurd(for area: Extent) -> Bool { count / 16 > max(area.count, 256) }

  /// The conclusion of the format's own rule about the location of the log, if there is one.
  fileprivate var byFormat: [Conclusion] {
    guard let foundBy, let log else { return [] }
    return [
      Conclusion(
        .log(log), by: foundBy, .structure, "\(count.inBytes) (\(origin))")
    ]
  }
}
