import KVModel
import KVRecovery
import KVSystem
import KVTestSupport
import MMKVFormat
import SystemPackage

/// A store of four records, written by hand byte by byte: a number, a string, a removal and a flag.
enum SmallStore {
  /// The data file of one page.
  static let data = """
    0000  1a 00 00 00                           # payload count
    0004  ①ff ff ff 07                          # prefix
    0008  ②01 61  01 07                         # "a" = 7
    000c  ③04 6e 61 6d 65  04 03 41 6e 6e       # "name" = "Ann"
    0016  ④01 61  00                            # "a" removed
    0019  ⑤02 6f 6e  01 01                      # "on" = true
    001e  ⑥                                     # slack
    """

  /// The meta file of one page, with checksums computed by Python's zlib.
  static let meta = """
    0000  ①bf 94 d6 01                          # CRC-32 of the 26 bytes
    0004  ②04 00 00 00                          # version
    0008  ③03 00 00 00                          # sequence
    000c  ④00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f
    001c  ⑤1a 00 00 00                          # actual size
    0020  ⑥04 00 00 00                          # confirmed size
    0024  ⑦d1 85 99 4c                          # CRC-32 of the prefix
    0028  ⑧00 00 00 00                          # reserved
    0068  ⑨00 00 00 00 00 00 00 00              # flags
    0070  ⑩                                     # padding
    """

  /// Opens the store of the two dumps.
  static func open() throws -> MMKVStore {
    MMKVFormat(now: 0).open(
      MMKVFixtureBuilder.files(
        data: try HexFixture(data, zeroFilledTo: 4096).bytes,
        meta: try HexFixture(meta, zeroFilledTo: 4096).bytes)
    ).corrected()
  }

  /// A builder of the same records.
  static var builder: MMKVFixtureBuilder {
    var builder = MMKVFixtureBuilder()
    builder.put("a", [7])
    builder.put("name", text: "Ann")
    builder.remove("a")
    builder.put("on", [1])
    builder.sequence = 3
    builder.vector = (0..<16).map { UInt8($0) }
    return builder
  }
}

extension Store {
  /// Returns the records of the log, up to its stated length, as an engine of any version decodes
  /// them.
  func loggedRecords() -> [Record] {
    guard let log = lengthClaims.first?.log else { return [] }
    return records(in: log, scan: .plain).compactMap { event in
      if case .record(let record) = event { record } else { nil }
    }
  }
}
