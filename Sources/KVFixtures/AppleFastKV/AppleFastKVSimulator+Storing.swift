import FastKVFormat
import KVModel

/// How records get into the file.
extension AppleFastKVSimulator {
  /// How many bytes are mapped: all of the file.
  var mappedCount: Int { disk.bytes(of: name).count }

  /// Sets a key, or removes it where there is no pair: that is written even if there is no such key.
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

  /// Writes the live records to the front of the file, in place, and makes that longer first where the
  /// formula asks for it.
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

  /// A record with its separator; what it stores of the value is noted.
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

  /// Where a key stands in a hash table, more or less: FNV-1a.
  private static func hash(of key: Key) -> UInt64 {
    key.bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  // MARK: The file

  /// Gives the file `count` bytes, and at least the initial ones.
  mutating func map(_ count: Int) {
    let count = max(count, capacity)
    if count != mappedCount { disk.resize(name, to: count) }
  }

  /// How many bytes the engine allocates for `count`, by the growth strategy of the store.
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

  /// Stores how long the log is: eight bytes of one line of the cache.
  private mutating func storeLength(_ count: Int) {
    disk.storeWord(UInt64(count), in: name, at: AppleHeader.Field.length.lowerBound)
  }
}
