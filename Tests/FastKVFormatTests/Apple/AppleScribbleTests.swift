import FastKVFormat
import KVBytes
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import Testing

/// Damage to many bytes.
///
/// Every entry that is presented as verified must be right, unless the checksum itself cannot
/// detect the damage.
@Suite struct AppleScribbleTests {
  /// A random store, with every value that each key has had.
  ///
  /// The last value is the correct one.
  private struct RandomStore {
    var bytes: [UInt8] = []
    var values: [Key: [[UInt8]?]] = [:]

    init(_ random: inout SeededGenerator) {
      var builder = AppleFixtureBuilder(width: Bool.random(using: &random) ? 8 : 4)
      let keys = (0..<6).map { "\($0)" + String(repeating: "k", count: $0 % 4) }
      for _ in 0..<Int.random(in: 3...14, using: &random) {
        let key = keys.randomElement(using: &random) ?? "k"
        let count = Int.random(in: 0...60, using: &random)
        let (type, value): (Int, [UInt8]) =
          switch Int.random(in: 0...5, using: &random) {
          case 0: (0, [])
          case 1: (2, [UInt8.random(in: 0...1, using: &random)])
          case 2: (3, random.bytes(4))
          case 3: (8, random.bytes(count))
          default: (7, random.bytes(count).map { 0x20 + $0 % 0x5f })
          }
        builder.add(type, key, value, class: type < 2 ? "" : "NSNumber")
        values[Key(Array(key.utf8)), default: []].append(type == 0 ? nil : value)
      }
      bytes = builder.file(zeroFilledTo: builder.area.count + 200)
    }

    /// Scribbles over the record area: consecutive random bytes, consecutive zeros, or scattered
    /// bits.
    mutating func scribble(_ random: inout SeededGenerator) {
      let end = bytes.count - 182
      let count = Int.random(in: 2...40, using: &random)
      let start = Int.random(in: 18..<end - 40, using: &random)
      switch Int.random(in: 0...2, using: &random) {
      case 0: bytes.replaceSubrange(start..<start + count, with: random.bytes(count))
      case 1: for offset in start..<start + count { bytes[offset] = 0 }
      default:
        for _ in 0..<count {
          let bit = UInt8.random(in: 0..<8, using: &random)
          bytes[Int.random(in: 18..<end, using: &random)] ^= 1 << bit
        }
      }
    }
  }

  @Test(arguments: TestExtent.share(1, of: UInt64(0)..<4))
  func whatAChecksumVerifiesIsRightWhereItCanSee(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let rounds = TestExtent.count(450, of: 2600)
    var wrong: [Evidence: Int] = [:]
    var verified = 0
    for round in 0..<rounds {
      var example = RandomStore(&random)
      let whole = example.bytes
      example.scribble(&random)
      if example.bytes == whole { continue }
      let store = AppleFastKVStore(example.bytes)
      let best = try #require(Diagnosis(of: store, now: 0).best)
      for record in best.snapshot.live {
        let evidence = best.evidence(of: record)
        guard evidence >= .corrected else { continue }
        verified += 1
        let key = store.key(of: record)
        let value = store.value(of: record)
        let known = example.values[key] ?? []
        if let last = known.last, last == value { continue }
        wrong[evidence, default: 0] += 1
        #expect(
          isBlind(store, best, whole), "seed \(seed), round \(round), at \(record.offset)")
      }
    }
    print(
      "seed \(seed): of \(verified) entries that a checksum verifies, wrong are "
        + "\(wrong[.checksum] ?? 0) by checksum, \(wrong[.corrected] ?? 0) by corrected")
    // Of some 5,000 damaged records, one in 65,536 keeps its CRC. About one in 64 has a bit that
    // makes the CRC match again. It is far rarer that such a record also decodes, with valid text
    // in its strings.
    #expect(wrong[.checksum] ?? 0 <= 3, "seed \(seed)")
    #expect(wrong[.corrected] ?? 0 <= 12, "seed \(seed)")
  }

  /// Returns whether some record differs from what was written although its CRC matches.
  ///
  /// No reader can see such damage, whether in the entry itself or in a record that would have
  /// revealed it.
  private func isBlind(_ store: AppleFastKVStore, _ state: StoreState, _ whole: [UInt8]) -> Bool {
    guard let log = state.log else { return false }
    let bytes = store.stored(.data).bytes
    for case .record(let record) in store.records(in: log, scan: .plain, around: state.gaps) {
      let end = record.value.upperBound
      let crc = AppleFixtureBuilder.crc(Array(bytes[record.offset..<end]))
      if bytes[record.offset..<end + 2] != whole[record.offset..<end + 2],
        bytes[end] == UInt8(crc & 0xff), bytes[end + 1] == UInt8(crc >> 8)
      {
        return true
      }
    }
    return false
  }
}
