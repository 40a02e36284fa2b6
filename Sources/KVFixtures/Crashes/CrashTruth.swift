import KVModel

/// What may be found after a crash.
struct CrashTruth {
  /// For each key that was there or may be, the values that it may have; `nil` for none.
  private(set) var acceptable: [Key: Set<[UInt8]?>] = [:]
  /// Every value that a key ever had.
  private(set) var written: [Key: Set<[UInt8]>] = [:]

  /// What is known to be there: the only thing that is acceptable.
  mutating func settle(_ entries: [Key: [UInt8]]) {
    acceptable = entries.mapValues { [$0] }
    note(entries)
  }

  /// What may have become of it.
  mutating func admit(_ entries: [Key: [UInt8]]) {
    for key in acceptable.keys where entries[key] == nil { acceptable[key]?.insert(nil) }
    for (key, value) in entries { acceptable[key, default: [nil]].insert(value) }
    note(entries)
  }

  private mutating func note(_ entries: [Key: [UInt8]]) {
    for (key, value) in entries { written[key, default: []].insert(value) }
  }
}
