import KVBytes
import KVCryptography
import KVModel

/// Rewriting the log without its dead records.
extension MMKVSimulator {
  /// Makes room for one more record, by rewriting the log and growing the file.
  ///
  /// As MMKV::ensureMemorySize and MMKV::expandAndWriteBack.
  mutating func makeRoom(for count: Int) {
    let left = fileCount - DataLayout.headerCount - meta.actualCount
    guard count >= left || table.isEmpty else { return }
    dropExpired()
    expandAndRewrite(for: count)
  }

  private mutating func expandAndRewrite(for count: Int) {
    let mayGrow = !table.isEmpty
    let live = DataLayout.prefixCount + table.values.reduce(0) { $0 + $1.count }
    let needed = live + DataLayout.headerCount + count
    let later = max(1, table.count + 1)
    let average = (needed + later - 1) / later
    let future = average * max(8, later / 2)
    var fileCount = self.fileCount
    if needed >= fileCount || mayGrow && needed + future >= fileCount {
      repeat { fileCount *= 2 } while needed + future >= fileCount
      disk.resize(dataName, to: fileCount)
    }
    rewriteLog(underKey: key)
    // The engine does not sync the files when the very first entry is set.
    if mayGrow { sync() }
  }

  /// Rewrites the log, unless nothing was written since the last rewrite.
  ///
  /// As MMKV::fullWriteback.
  mutating func rewrite() { rewrite(underKey: key) }

  /// Rewrites the log with another key, unless nothing was written since the last rewrite.
  mutating func rewrite(underKey new: StoreKey?) {
    if isRewritten { return }
    dropExpired()
    guard !table.isEmpty else { return clear(keepsSpace: false) }
    rewriteLog(underKey: new)
    sync()
  }

  /// Removes expired entries from the map.
  ///
  /// As MMKV::filterExpiredKeys.
  mutating func dropExpired() {
    guard defaultLifetime != nil else { return }
    for (key, entry) in table {
      let suffix = plain[entry.value].suffix(DataLayout.expiryCount)
      let deadline = suffix.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      guard deadline != 0, deadline <= now else { continue }
      table[key] = nil
      order.remove(key)
    }
  }

  /// Moves the live records to the start of the log, in place, and updates the meta file last.
  ///
  /// As MMKV::doFullWriteBack. In plain stores, the prefix is stored last. In encrypted stores, it
  /// comes first. Large values are then moved in the clear and encrypted in place. Small values,
  /// which the engine has in its map, are written after them.
  private mutating func rewriteLog(underKey new: StoreKey?) {
    let old = plain
    let wasEncrypted = key != nil
    let inOrder = table.sorted { $0.value.offset < $1.value.offset }
    let isMoved = { (entry: MMKVEntry) in
      !wasEncrypted || entry.value.count > DataLayout.smallValueCount
    }
    let moved = inOrder.filter { isMoved($0.value) }
    let rewritten = entriesInMapOrder.filter { !isMoved($0.value) }
    let prefix = self.prefix()
    plain = prefix
    var movedEnd = plain.count
    for (index, (key, entry)) in (moved + rewritten).enumerated() {
      table[key] = entry.moved(to: plain.count)
      plain += old[entry.record]
      if index < moved.count { movedEnd = plain.count }
    }
    key = new
    if new != nil { meta.vector = randomness.bytes(Cryptography.blockCount) }

    let sections = self.sections(of: moved.map(\.value))
    if wasEncrypted {
      storePayload(prefix, at: 0)
      encrypt(0..<prefix.count)
      store(sections, of: old, isDecrypted: true)
      for (key, _) in moved {
        if let entry = table[key] { encrypt(entry.record) }
      }
      let rest = movedEnd..<plain.count
      storePayload(ciphertext(of: rest) ?? Array(plain[rest]), at: movedEnd)
    } else {
      store(sections, of: old, isDecrypted: false)
      storePayload(prefix, at: 0)
      encrypt(plain.indices)
    }
    confirm(underKey: new)
  }

  /// Returns the ranges to move.
  ///
  /// Adjacent records are moved in one piece.
  private func sections(of entries: [MMKVEntry]) -> [Range<Int>] {
    var sections: [Range<Int>] = []
    for entry in entries {
      if let last = sections.last, last.upperBound == entry.offset {
        sections[sections.count - 1] = last.lowerBound..<entry.record.upperBound
      } else {
        sections.append(entry.record)
      }
    }
    return sections
  }

  private mutating func store(
    _ sections: [Range<Int>], of old: [UInt8], isDecrypted: Bool
  ) {
    var position = DataLayout.prefixCount
    for section in sections {
      // A section that stays in place is not stored again, unless it is decrypted on the way.
      if isDecrypted || section.lowerBound != position {
        storePayload(Array(old[section]), at: position)
      }
      position += section.count
    }
  }

  private mutating func confirm(underKey new: StoreKey?) {
    writeMeta(
      count: plain.count, digest: digest(of: plain.count),
      vector: new == nil ? nil : meta.vector, isRewrite: true)
    isRewritten = true
  }

  /// Rewrites all values with a changed representation.
  ///
  /// As MMKV::enableAutoKeyExpire and MMKV::disableAutoKeyExpire.
  mutating func rewriteValues(_ change: ([UInt8]) -> [UInt8]) {
    if fileCount == capacity, meta.actualCount == 0 {
      writeMeta(count: 0, digest: 0, isRewrite: true)
      return disk.sync(metaName)
    }
    let records = entriesInMapOrder.map {
      ($0.key, MMKVRecord($0.key, change(value(of: $0.value))))
    }
    growForRewrite(of: DataLayout.prefixCount + records.reduce(0) { $0 + $1.1.count })
    if key != nil { meta.vector = randomness.bytes(Cryptography.blockCount) }
    let prefix = self.prefix()
    plain = prefix
    for (key, record) in records {
      table[key] = MMKVEntry(
        offset: plain.count, headCount: record.headCount, count: record.count)
      plain += record.bytes
    }
    storePayload(prefix, at: 0)
    encrypt(0..<prefix.count)
    let rest = prefix.count..<plain.count
    storePayload(ciphertext(of: rest) ?? Array(plain[rest]), at: prefix.count)
    confirm(underKey: key)
    sync()
    reload()
  }

  /// The entries in the iteration order of the engine's map.
  private var entriesInMapOrder: [(key: Key, value: MMKVEntry)] {
    order.keys.compactMap { key in table[key].map { (key, $0) } }
  }

  private mutating func growForRewrite(of count: Int) {
    let needed = DataLayout.headerCount + count
    guard needed > fileCount else { return }
    // As MMKV::expandAndWriteBack, with an empty map and the missing bytes as the size of a new
    // entry.
    let wanted = needed + (needed - fileCount)
    let future = wanted * 8
    var grown = fileCount
    repeat { grown *= 2 } while wanted + future >= grown
    disk.resize(dataName, to: grown)
  }
}
