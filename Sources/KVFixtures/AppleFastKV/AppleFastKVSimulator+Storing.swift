import FastKVFormat
import KVModel

/// Storing records in the file.
extension AppleFastKVSimulator {
  /// The number of mapped bytes, which is the length of the file.
  var mappedCount: Int { disk.bytes(of: name).count }

  /// Sets a key, or removes it if `pair` is `nil`.
  ///
  /// A removal is written even if there is no such key.
  ///
  /// As -[FastKV append:].
  mutating func append(_ key: Key, _ pair: AppleFastKVPair?) {
    let present = pairs[key]
    if let present, present.isEqual(to: pair) { return }
    let record: [UInt8]
    if var pair {
      record = stored(&pair, under: key)
      pairs[key] = pair
    } else {
      record = bytes(of: .removed, "", key, [])
      pairs[key] = nil
    }
    if record.count + end >= mappedCount {
      compact(for: record.count, isUpdate: present != nil)
    } else {
      disk.store(record, in: name, at: end)
      end += record.count
      storeLength(end - AppleHeader.byteCount)
    }
  }

  /// Rewrites the live records at the start of the file, in place, and first grows the file if the
  /// engine's formula asks for it.
  ///
  /// As -[FastKV reallocWithExtraSize:updated:].
  mutating func compact(for extra: Int, isUpdate: Bool) {
    var records: [UInt8] = []
    for key in pairs.keys.sorted(by: { Self.hash(of: $0) < Self.hash(of: $1) }) {
      guard var pair = pairs[key] else { continue }
      records += stored(&pair, under: key)
      pairs[key] = pair
    }
    let total = AppleHeader.byteCount + records.count
    let needed = isUpdate ? allocation(for: total + extra) : total + extra
    if needed > mappedCount || isUpdate && allocation(for: needed) > mappedCount {
      map(allocation(for: needed))
      writeHeader()
    }
    disk.store(records, in: name, at: AppleHeader.byteCount)
    storeLength(records.count)
    end = total
  }

  /// Returns a record with its separator, and updates the stored bytes of `pair`.
  private mutating func stored(_ pair: inout AppleFastKVPair, under key: Key) -> [UInt8] {
    pair.stored = pair.bytes { randomness.upperHalf() }
    return bytes(of: pair.type, pair.className, key, pair.stored)
  }

  private func bytes(
    of type: AppleType, _ className: String, _ key: Key, _ value: [UInt8]
  ) -> [UInt8] {
    AppleWriter(width: width).record(
      AppleWriter.Entry(
        type: type, className: Array(className.utf8), key: key.bytes, value: value))
      + AppleDialect(width: width).separatorBytes
  }

  /// Returns the FNV-1a hash of a key, which decides its place in a compaction.
  private static func hash(of key: Key) -> UInt64 {
    key.bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  // MARK: The file

  /// Resizes the file to `count` bytes, but not to less than its initial capacity.
  mutating func map(_ count: Int) {
    let count = max(count, capacity)
    if count != mappedCount { disk.resize(name, to: count) }
  }

  /// Returns the number of bytes that the engine allocates for `count`, by the growth strategy of
  /// the store.
  func allocation(for count: Int) -> Int {
    guard growth == 0 else { return count / 8 + (count < 9 ? 3 : 6) + count }
    var allocation = 1
    while allocation <= count { allocation *= 2 }
    return allocation
  }

  /// Writes the header of an empty log.
  mutating func writeHeader() {
    disk.store(AppleHeader.magic, in: name, at: AppleHeader.Field.magic.lowerBound)
    disk.storeWord(
      AppleHeader.currentVersion, in: name, at: AppleHeader.Field.version.lowerBound)
    storeLength(0)
  }

  /// Stores the length of the log.
  ///
  /// Its eight bytes share a cache line, so the store is not torn.
  private mutating func storeLength(_ count: Int) {
    disk.storeWord(UInt64(count), in: name, at: AppleHeader.Field.length.lowerBound)
  }
}
