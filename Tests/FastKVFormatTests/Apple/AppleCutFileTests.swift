import FastKVFormat
import KVModel
import KVRecovery
import Testing

/// Files that are shorter than their header says, because they were cut or because the length is
/// damaged.
struct AppleCutFileTests {
  /// Returns what the probability of the first entry of `bytes` says about records that are missing at
  /// the end.
  private func lostAtEnd(_ bytes: [UInt8]) throws -> String {
    let store = AppleFastKVStore(bytes)
    let best = try #require(Diagnosis(of: store, now: 0).best)
    let record = try #require(best.snapshot.live.first)
    let reasons = Judgement(of: store, best).weighing(of: record).reasons(for: .newest)
    return try #require(reasons.first { $0.name == "lostAtEnd" }?.answer)
  }

  private var builder: AppleFixtureBuilder {
    var builder = AppleFixtureBuilder()
    for index in 0..<200 {
      builder.add(7, "key\(index % 10)", Array("value \(index)".utf8), class: "__NSCFString")
    }
    return builder
  }

  @Test func moreIsMissingTheEarlierAFileIsCut() throws {
    let bytes = builder.file()
    let cuts = try [0.99, 0.9, 0.3].map {
      try lostAtEnd(Array(bytes.prefix(Int(Double(bytes.count) * $0))))
    }
    #expect(cuts == ["up to 0.3", "up to 3", "more than 3"])
  }

  @Test func aDamagedLengthIsNoMissingRecord() throws {
    let count = builder.area.count
    // Zeros follow the records, so the file was not cut.
    let padded = builder.file(zeroFilledTo: 2 * count, length: UInt64(3 * count))
    #expect(try lostAtEnd(padded) == "0")
    // No log is so much longer than what is left of it.
    #expect(try lostAtEnd(builder.file(length: UInt64(20 * count))) == "0")
  }
}
