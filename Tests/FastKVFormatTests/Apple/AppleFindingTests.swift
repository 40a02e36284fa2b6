import FastKVFormat
import KVBytes
import KVModel
import KVRecovery
import KVTestSupport
import Testing

/// A store that has one finding, and the place of the finding.
struct AppleFindingExample: Sendable, CustomTestStringConvertible {
  let code: String
  let severity: Finding.Severity
  let range: Range<Int>
  let bytes: [UInt8]

  var testDescription: String { code }

  private init(
    _ code: String, _ severity: Finding.Severity, at range: Range<Int>, _ bytes: [UInt8]
  ) {
    self.code = "fastkv-apple.\(code)"
    self.severity = severity
    self.range = range
    self.bytes = bytes
  }

  // MARK: Examples

  static var all: [AppleFindingExample] { header + length + engine + records + contents }

  /// Returns two records of 63 bytes each, at offsets 18 and 81.
  private static func pair(_ change: (inout AppleFixtureBuilder) -> Void = { _ in })
    -> AppleFixtureBuilder
  {
    var builder = AppleFixtureBuilder()
    builder.add(7, "a", Array("A".utf8))
    builder.add(7, "b", Array("B".utf8))
    change(&builder)
    return builder
  }

  private static func one(_ type: Int, _ key: String, _ value: [UInt8]) -> [UInt8] {
    var builder = AppleFixtureBuilder()
    builder.add(type, key, value)
    return builder.file()
  }

  /// Returns `bytes` with the byte at each offset XORed with its mask.
  private static func damaged(_ bytes: [UInt8], _ changes: [Int: UInt8]) -> [UInt8] {
    var bytes = bytes
    for (offset, mask) in changes { bytes[offset] ^= mask }
    return bytes
  }

  /// Returns a pair whose first record states a wrong length of its key or value, under a matching
  /// CRC.
  private static func misstated(at offset: Int, _ count: UInt8) -> [UInt8] {
    var builder = AppleFixtureBuilder()
    var record = builder.record(7, Array("a".utf8), Array("A".utf8)).dropLast(2)
    record[offset] = count
    let crc = AppleFixtureBuilder.crc(Array(record))
    builder.area = record + [UInt8(crc & 0xff), UInt8(crc >> 8)] + Array(builder.separator.utf8)
    builder.add(7, "b", Array("B".utf8))
    return builder.file()
  }

  private static let field = 10..<18

  private static var header: [AppleFindingExample] {
    [
      AppleFindingExample("header-cut", .damage, at: 0..<1, [0x46]),
      AppleFindingExample("magic", .damage, at: 0..<6, damaged(pair().file(), [0: 0x20])),
      AppleFindingExample("version", .note, at: 6..<10, damaged(pair().file(), [6: 3])),
      AppleFindingExample("keys-come-back", .warning, at: field, pair().file(length: 0)),
      AppleFindingExample(
        "growth", .note, at: 144..<4 << 20, pair().file(zeroFilledTo: 4 << 20)),
    ]
  }

  private static var length: [AppleFindingExample] {
    [
      // Nothing was written between the log and the next block, but in that block.
      AppleFindingExample(
        "length-too-short", .damage, at: field,
        pair {
          $0.area.insert(contentsOf: [UInt8](repeating: 0, count: 512 - 81), at: 63)
        }.file(length: 63)),
      // The rest of a record that was overwritten, and what the log begins with.
      AppleFindingExample(
        "length-too-long", .damage, at: field,
        pair {
          for value in ["X", "Y", "Z"] { $0.add(7, "a", Array(value.utf8)) }
          $0.area += Array("the rest of one\u{1}\u{2}".utf8) + Array($0.separator.utf8)
          $0.add(7, "b", Array("B".utf8))
          $0.add(7, "a", Array("A".utf8))
        }.file()),
      AppleFindingExample(
        "records-after-log", .note, at: field,
        pair {
          $0.add(7, "c", Array("C".utf8))
          $0.add(7, "d", Array("D".utf8))
        }.file(length: 63)),
      AppleFindingExample("length-off-record", .damage, at: field, pair().file(length: 68)),
      AppleFindingExample(
        "length-upper-half", .damage, at: field, pair().file(length: 126 | 1 << 40)),
      AppleFindingExample("length-beyond-file", .damage, at: field, pair().file(length: 5000)),
      AppleFindingExample(
        "slack-content", .note, at: 81..<144,
        pair { $0.area = Array($0.area[..<63] + $0.area[..<63]) }.file(length: 63)),
    ]
  }

  private static var engine: [AppleFindingExample] {
    let narrow = AppleFixtureBuilder(width: 4, area: AppleFixtureBuilder(width: 4).filled)
    let old = AppleFixtureBuilder(
      separator: "$FastKVS", area: AppleFixtureBuilder(separator: "$FastKVS").filled)
    let lone = pair { $0.area += [0x51] + Array($0.separator.utf8) }
    return [
      AppleFindingExample(
        "pointer-width", .warning, at: 18..<18 + narrow.area.count, narrow.file()),
      AppleFindingExample("old-separator", .warning, at: 18..<18 + old.area.count, old.file()),
      AppleFindingExample("raises", .damage, at: 144..<168, lone.file()),
      AppleFindingExample("overruns", .damage, at: 18..<81, misstated(at: 20, 200)),
      AppleFindingExample("refused", .damage, at: 0..<18, damaged(pair().file(), [0: 0x20])),
    ]
  }

  private static var records: [AppleFindingExample] {
    let separator = Array(AppleFixtureBuilder().separator.utf8)
    return [
      AppleFindingExample("corrected", .damage, at: 55..<56, damaged(pair().file(), [55: 2])),
      AppleFindingExample(
        "checksum-mismatch", .damage, at: 18..<81, damaged(pair().file(), [55: 3])),
      AppleFindingExample("value-length", .damage, at: 18..<81, misstated(at: 28, 9)),
      AppleFindingExample(
        "record-header", .damage, at: 18..<81, damaged(pair().file(), [30: 0x5b, 31: 0x2c])),
      AppleFindingExample("separator", .damage, at: 56..<81, damaged(pair().file(), [60: 1])),
      AppleFindingExample(
        "separator-inside", .damage, at: 56..<79, one(7, "s", [0x2e] + separator)),
      AppleFindingExample("unknown-type", .damage, at: 18..<26, one(9, "k", [1])),
      AppleFindingExample(
        "uncovered", .note, at: 55..<18 + 37 + 65536,
        one(8, "k", [UInt8](repeating: 0x5a, count: 65536))),
    ]
  }

  private static var contents: [AppleFindingExample] {
    var texts = AppleFixtureBuilder()
    texts.add(7, "t", Array("日".utf8))
    let length = UInt64(texts.area.count)
    texts.add(7, "t", Array("日本語".utf8))
    return [
      AppleFindingExample(
        "broken-double", .warning, at: 55..<63,
        one(6, "d", [0, 0, 0x80, 0x3f, 0x60, 0x55, 0, 0])),
      AppleFindingExample("immortal-nil", .warning, at: 18..<80, one(1, "n", []).padded(to: 80)),
      AppleFindingExample("text-cut", .warning, at: 55..<58, texts.file(length: length)),
      AppleFindingExample("longer-text", .note, at: 120..<129, texts.file(length: length)),
    ]
  }
}

extension AppleFixtureBuilder {
  /// The record area with two records.
  fileprivate var filled: [UInt8] {
    var builder = self
    builder.add(7, "a", Array("A".utf8))
    builder.add(7, "b", Array("B".utf8))
    return builder.area
  }
}

extension [UInt8] {
  /// Returns the bytes, padded with zeros to `count`.
  fileprivate func padded(to count: Int) -> [UInt8] {
    self + [UInt8](repeating: 0, count: Swift.max(0, count - self.count))
  }
}

@Suite struct AppleFindingTests {
  @Test(arguments: AppleFindingExample.all)
  func findingIsMadeWhereItBelongs(_ example: AppleFindingExample) throws {
    let store = AppleFastKVStore(example.bytes)
    let diagnosis = expectSound(store, now: 0, example.code)
    let finding = try #require(
      diagnosis.findings.first { $0.code == example.code }, "\(diagnosis.findings.map(\.code))")
    #expect(finding.severity == example.severity)
    #expect(finding.extent == Extent(.data, example.range))
    #expect(!finding.message.isEmpty)
  }

  @Test func everyCodeHasAnExample() {
    #expect(Set(AppleFindings.all.map(\.name)) == Set(AppleFindingExample.all.map(\.code)))
  }
}
