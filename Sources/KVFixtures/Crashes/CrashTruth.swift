import KVModel

/// The values that may be found after a crash.
struct CrashTruth {
  /// For each key that may be there, its acceptable values.
  ///
  /// `nil` means that it may be absent.
  private(set) var acceptable: [Key: Set<[UInt8]?>] = [:]
  /// Every value that each key has had.
  private(set) var written: [Key: Set<[UInt8]>] = [:]

  /// Makes `entries` the only acceptable state.
  mutating func settle(_ entries: [Key: [UInt8]]) {
    acceptable = entries.mapValues { [$0] }
    note(entries)
  }

  /// Makes `entries` another acceptable state.
  mutating func admit(_ entries: [Key: [UInt8]]) {
    for key in acceptable.keys where entries[key] == nil { acceptable[key]?.insert(nil) }
    for (key, value) in entries { acceptable[key, default: [nil]].insert(value) }
    note(entries)
  }

  private mutating func note(_ entries: [Key: [UInt8]]) {
    for (key, value) in entries { written[key, default: []].insert(value) }
  }
}
