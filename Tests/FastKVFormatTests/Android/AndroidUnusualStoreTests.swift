import FastKVFormat
import KVBytes
import KVFixtures
import KVInput
import KVModel
import KVRecovery
import KVSystem
import KVTestSupport
import SystemPackage
import Testing

/// Stores that the engine makes seldom, and damage that resembles them.
@Suite struct AndroidUnusualStoreTests {
  private func diagnosis(_ store: AndroidFastKVStore) -> Diagnosis {
    Diagnosis(of: store, now: 0)
  }

  private func names(_ store: AndroidFastKVStore) -> [String: String] {
    Dictionary(
      (diagnosis(store).best?.snapshot.live ?? []).map {
        (
          store.key(of: $0).text ?? "?",
          String(decoding: store.value(of: $0), as: UTF8.self)
        )
      }, uniquingKeysWith: { $1 })
  }

  /// Tests that a checksum of zero does not verify the records after a header that was zeroed.
  @Test(arguments: [false, true])
  func aBlankHeaderVerifiesNothing(isC: Bool) throws {
    var builder = AndroidBuilder()
    for index in 0..<30 { builder.text("setting_\(index)", "value number \(index)") }
    builder.capacity = isC ? nil : 8192
    let image = [UInt8](repeating: 0, count: 12) + builder.bytes.dropFirst(12)
    let store =
      isC ? AndroidBuilder.open(c: image) : AndroidBuilder.open(a: image, b: image)
    let best = try #require(diagnosis(store).best)
    #expect(best.snapshot.live.count == 30)
    #expect(best.snapshot.live.allSatisfy { best.assessment(of: $0).evidence < .corrected })
    #expect(diagnosis(store).verdict == .damaged)
  }

  /// Tests that a compaction that removes all records leaves a file of any size that is empty, with
  /// deleted records at its start, and that a store with such records and others is not empty.
  @Test(arguments: [(80, 0, false), (79, 0, true), (99, 1, true), (100, 1, false)])
  func aCompactedFileIsEmpty(count: Int, liveCount: Int, isDamaged: Bool) {
    var builder = AndroidBuilder()
    for index in 0..<count { builder.text("k\(index)", "value", struck: true) }
    for index in 0..<liveCount { builder.text("left\(index)", "moved") }
    builder.capacity = 8192
    let image = [UInt8](repeating: 0, count: 12) + builder.bytes.dropFirst(12)
    let store = AndroidBuilder.open(a: image, b: image)
    #expect((diagnosis(store).verdict == .damaged) == isDamaged)
    #expect(
      store.check().contains { $0.code == "fastkv-android.header-blank" } == isDamaged)
    if isDamaged { #expect(diagnosis(store).best?.snapshot.live.count == liveCount) }
  }

  /// Tests that random data after a record that does not decode is not taken for encrypted records.
  @Test func binaryDataIsNotTakenForEncryptedRecords() {
    for seed in RandomSeeds.fresh(20) {
      var generator = SeededGenerator(seed: seed)
      var builder = AndroidBuilder()
      builder.text("city", "Berlin")
      builder.add(0x07, Array("photo".utf8), [0x40, 0x9c] + generator.bytes(40_000))
      builder.add(0x02, Array("level".utf8), [7, 0, 0, 0])
      builder.capacity = 65536
      var image = builder.bytes
      image[13] = 0xee  // The count of the first key.
      let store = AndroidBuilder.open(a: image, b: image)
      #expect(!store.isEncrypted && store.access == .readable, "seed \(seed)")
    }
  }

  /// Tests that encrypted records are recognized without a key, by several in a row, although the
  /// first is damaged and the header lacks the bit.
  @Test func encryptedRecordsAreRecognizedAfterADamagedOne() {
    for seed in RandomSeeds.fresh(20) {
      var generator = SeededGenerator(seed: seed)
      var builder = AndroidBuilder()
      for _ in 0..<12 { builder.add(0x07, generator.bytes(20), [36, 0] + generator.bytes(36)) }
      builder.capacity = 4096
      var image = builder.bytes
      image.replaceSubrange(4..<20, with: generator.bytes(16))
      let store = AndroidBuilder.open(a: image, b: image)
      #expect(store.isEncrypted && store.access != .readable, "seed \(seed)")
    }
  }

  /// Tests that no page of a `.kvc` is taken for older, as each write replaces that file as a whole.
  @Test func nothingInAKvcIsOlderThanTheRest() {
    var builder = AndroidBuilder()
    for index in 0..<20 { builder.text("before \(index)", String(repeating: "a", count: 150)) }
    builder.text("across", String(repeating: "b", count: 1500))
    builder.data += [UInt8](repeating: 0xee, count: 300)
    for index in 0..<20 { builder.text("after \(index)", "value \(index)") }
    builder.data += [0, 0]
    builder.capacity = nil
    var image = builder.bytes
    image[4] ^= 0xff
    let found = names(AndroidBuilder.open(c: image))
    #expect(found.count == 41 && found["across"] != nil)
  }

  /// Tests that letters in a text are not read as the types of records.
  @Test func lettersAreNoTypes() {
    for seed in RandomSeeds.fresh(20) {
      var generator = SeededGenerator(seed: seed)
      let letters = Array("ABCDEFGHIJKabcdefghijklmnopqrstuvwxyz ".utf8)
      let text = (0..<6000).map { _ in letters[Int(generator.next() % UInt64(letters.count))] }
      var builder = AndroidBuilder()
      builder.text("token", "abc")
      builder.capacity = 8192
      var image = builder.bytes
      image.replaceSubrange(100..<6100, with: text)
      let store = AndroidBuilder.open(a: image, b: image)
      #expect(diagnosis(store).state(.beforeReset) == nil, "seed \(seed)")
      #expect(names(store) == ["token": "abc"], "seed \(seed)")
    }
  }

  /// Tests that a log whose end only the checksum shows is read with keys that are not text.
  ///
  /// The app was killed while it wrote copy A.
  @Test func keysThatAreNotTextAreReadWhereAChecksumEndsTheLog() {
    var older = AndroidBuilder()
    older.text("\u{7}\u{1}", "one")
    older.text("name", "two")
    var newer = older
    newer.text("\u{1}0", "three")
    let image = [0xff, 0xff, 0xff, 0xff] + newer.bytes.dropFirst(4)
    let store = AndroidBuilder.open(a: Array(image), b: older.bytes)
    #expect(names(store) == ["\u{7}\u{1}": "one", "name": "two", "\u{1}0": "three"])
  }

  /// Tests that a store whose only long value was removed is empty, although the engine then cut its
  /// files inside the deleted record.
  @Test func aStoreThatWasCutInsideItsDeletedRecordIsEmpty() {
    var builder = AndroidBuilder()
    builder.text("page", String(repeating: "x", count: 60_000), struck: true)
    builder.capacity = nil
    let image = [UInt8](repeating: 0, count: 12) + builder.data.prefix(8192 - 12)
    let store = AndroidBuilder.open(a: image, b: image)
    #expect(Diagnosis(of: store, now: 0).verdict == .clean)
    #expect(names(store).isEmpty)
  }
}
