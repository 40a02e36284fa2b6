import KVBytes
import KVModel

/// Records of a log that may have been rewritten after its checksums were stored.
enum RewrittenSince: LogRule {
  static let id: RuleID = "log.rewritten-since"
  static let premise = "neither the checksum of the log nor that of its last full rewrite matches"
  static let conclusion = """
    both may have been stored before the log was rewritten, as in files of two times. A newer \
    value of any key, or its removal, may be missing
    """
  static let ceiling = Evidence.structure
  static let failure = "the caution is needless if bytes that the rewrite stored have changed since"

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    guard investigation.isUnverified, investigation.name != .beforeReset,
      isPossible(for: investigation.store), let log = investigation.log
    else { return [] }
    return [Conclusion(.limit(.beginning(in: log), [.mayBeStale]), by: Self.self)]
  }

  /// Returns whether neither the checksum of the log of `store` nor that of its last full rewrite
  /// matches.
  static func isPossible<S: Store>(for store: S) -> Bool {
    let claims = [store.lengthClaims.first, store.lengthClaims.first { $0.role == .confirmed }]
    return claims.allSatisfy { $0?.checksum?.isSatisfied == false }
  }
}

/// The length of a log that was rewritten and then appended to after the length was stored.
enum OutdatedLength: LogRule {
  static let id: RuleID = "log.outdated-length"
  static let premise = """
    no checksum of an MMKV log matches, and whole records follow its stated end directly. Of \
    their keys that the log has, more than two thirds have values that are new to it, or are \
    removed
    """
  static let conclusion =
    "they were appended after the length was stored, and the log had been rewritten before that"
  static let ceiling = Evidence.structure
  static let failure =
    "if bytes of the log changed instead, and the rest of an older log is in sync with its end"

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    let store = investigation.store
    guard investigation.isWhole, RewrittenSince.isPossible(for: store),
      let log = investigation.lengthClaim?.log, let current = investigation.current
    else { return [] }
    return store.conclusions(after: log, holding: current.snapshot.live).compactMap { found in
      guard case .log(let longer) = found.claim else { return nil }
      return Conclusion(.log(longer), by: Self.self, .structure, found.reason)
    }
  }
}
