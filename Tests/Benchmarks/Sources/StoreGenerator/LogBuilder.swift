import KVBytes

/// A builder of the log of an MMKV store, as a running app leaves it: with every record ever put.
///
///     data file   payload count | payload | zeros up to a power of two
///     payload     prefix, 4 bytes | records
///     record      varint key count | key | varint value count | value
///     value       varint text count | text
///     meta file   digest | version | sequence | vector | payload count | confirmed count |
///                 confirmed digest | zeros to a page
///
/// Reference: `Docs/FORMAT-MMKV.md`.
struct LogBuilder {
  /// The number of bytes before the payload.
  static let headerCount = 4
  private static let pageCount = 4096

  private var random: SplitMix64
  private var payload: [UInt8] = []
  private var confirmedCount: Int

  /// Creates a log without records, and reserves space for `count` bytes.
  init(seed: UInt64, reserving count: Int) {
    random = SplitMix64(seed: seed)
    payload.reserveCapacity(count)
    // A varint of four bytes, whose value is ignored.
    payload += [0x85, 0xa3, 0xb4, 0x2a]
    confirmedCount = payload.count
  }

  /// The number of bytes in the payload.
  var payloadCount: Int { payload.count }

  /// Marks the current log as the result of the engine's last full rewrite.
  mutating func confirm() { confirmedCount = payload.count }

  /// Puts a string of `count` random letters under the key with this number, which has 15
  /// characters.
  mutating func put(_ number: Int, valueCount count: Int) {
    let key = "setting.\(String(10_000_000 + number).dropFirst())".utf8
    payload.append(UInt8(key.count))
    payload += key
    appendVarint(LogBuilder.varint(count).count + count)
    appendVarint(count)
    var letters: UInt64 = 0
    for index in 0..<count {
      if index % 16 == 0 { letters = random.next() }
      payload.append(0x61 + UInt8(truncatingIfNeeded: letters & 15))
      letters >>= 4
    }
  }

  /// Returns the bytes of the two files.
  func files() -> (data: [UInt8], meta: [UInt8]) {
    var fileCount = LogBuilder.pageCount
    while fileCount < LogBuilder.headerCount + payload.count { fileCount *= 2 }
    var data: [UInt8] = []
    data.reserveCapacity(fileCount)
    data += LogBuilder.word(payload.count)
    data += payload
    data += [UInt8](repeating: 0, count: fileCount - data.count)
    let version = LogBuilder.word(4)
    let sequence = LogBuilder.word(1)
    let vector = [UInt8](repeating: 0, count: 16)
    var meta = digest(payload.count) + version + sequence + vector
    meta += LogBuilder.word(payload.count) + LogBuilder.word(confirmedCount)
    meta += digest(confirmedCount)
    meta += [UInt8](repeating: 0, count: LogBuilder.pageCount - meta.count)
    return (data, meta)
  }

  private func digest(_ count: Int) -> [UInt8] {
    var digest = CRC32()
    digest.update(payload.storageSpan, in: 0..<count)
    return LogBuilder.word(Int(digest.value))
  }

  private static func word(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private static func varint(_ value: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = value
    while rest > 0x7f {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  private mutating func appendVarint(_ value: Int) { payload += LogBuilder.varint(value) }
}
