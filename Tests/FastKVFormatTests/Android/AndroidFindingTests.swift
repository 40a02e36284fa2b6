import FastKVFormat
import KVBytes
import KVInput
import KVModel
import KVRecovery
import KVSystem
import KVTestSupport
import SystemPackage
import Testing

/// Findings about the files beside the copies, and how they affect the entries.
@Suite struct AndroidFindingTests {
  private static let name = "0123456789abcdef0123456789abcdef"
  private static let other = "00000000000000000000000000000000"

  /// Opens a store with an external string and these files.
  private func open(_ others: [String: [UInt8]]) -> AndroidFastKVStore {
    var builder = AndroidBuilder()
    builder.text("inline", "here")
    builder.add(0x46, Array("big".utf8), [32, 0] + Array(Self.name.utf8))
    let files = AndroidBuilder.files(a: builder.bytes, b: builder.bytes)
    return AndroidFastKVFormat().open(
      files
        + others.sorted { $0.key < $1.key }.map {
          StoreFile(.external, at: FilePath($0.key), FileImage($0.value))
        }
    ).corrected()
  }

  /// A string long enough that some releases store it in an external file.
  private static let large = Array(String(repeating: "large ", count: 400).utf8)

  private func codes(_ store: AndroidFastKVStore) -> [String: Finding.Severity] {
    Dictionary(store.check().map { ($0.code, $0.severity) }, uniquingKeysWith: max)
  }

  private func entry(_ store: AndroidFastKVStore) -> RepairPlan.KeptEntry? {
    let diagnosis = Diagnosis(of: store, now: 0)
    return RepairPlanner(strategy: FixedStrategy.recover).plan(store, given: diagnosis)?.kept
      .first { store.key(of: $0.record).text == "big" }
  }

  @Test func externalValueHasNoChecksumAndNoCaution() {
    let store = open(["kv/\(Self.name)": Self.large])
    #expect(codes(store).isEmpty && Diagnosis(of: store, now: 0).verdict == .clean)
    #expect(entry(store)?.evidence == .structure && entry(store)?.cautions == [])
  }

  @Test(arguments: [nil, []] as [[UInt8]?])
  func externalFileThatIsGoneOrEmptyIsMissed(bytes: [UInt8]?) {
    let store = open(bytes.map { ["kv/\(Self.name)": $0] } ?? [:])
    #expect(codes(store) == ["fastkv-android.external-missing": .damage])
    #expect(entry(store) == nil)
  }

  /// Tests files on either side of the smallest size of a value in a file of its own.
  @Test(arguments: [2046, 2047, 2048, 2049])
  func externalFileOfTheLeastSizeIsWhole(count: Int) {
    let bytes = Array(Self.large.prefix(count))
    let store = open(["kv/\(Self.name)": bytes])
    #expect(codes(store).isEmpty == (count >= 2048))
    #expect(entry(store)?.cautions == (count >= 2048 ? [] : [.mayBeDamaged]))
  }

  @Test func externalFileThatLooksDamagedIsReadWithACaution() {
    // No release stores less than 2,048 bytes in an external file.
    for bytes in [
      Array(Self.large.prefix(100)), Self.large + [0xff],
      Self.large + [UInt8](repeating: 0, count: 16) + Self.large,
    ] {
      let store = open(["kv/\(Self.name)": bytes])
      #expect(codes(store) == ["fastkv-android.external-damaged": .warning])
      #expect(entry(store)?.evidence == .structure && entry(store)?.cautions == [.mayBeDamaged])
    }
  }

  @Test func externalFileThatWasNotRenamedIsReadWithACaution() {
    let store = open(["kv/\(Self.name).tmp": Array("large".utf8)])
    #expect(codes(store) == ["fastkv-android.external-not-renamed": .warning])
    #expect(entry(store)?.evidence == .structure && entry(store)?.cautions == [.mayBeDamaged])
  }

  @Test func externalFileOfNoEntryIsNoted() {
    let store = open(["kv/\(Self.name)": Self.large, "kv/\(Self.other)": [0x62]])
    #expect(codes(store) == ["fastkv-android.external-orphan": .note])
  }

  @Test func changeMarkerIsTold() {
    var builder = AndroidBuilder()
    builder.text("a", "1")
    var marked = builder.bytes
    for offset in 0..<8 { marked[12 + builder.data.count + offset] = UInt8(offset + 1) }
    let store = AndroidBuilder.open(a: marked, b: builder.bytes)
    #expect(codes(store) == ["fastkv-android.change-marker": .note])
    // If both copies have these bytes, they were there before.
    let both = AndroidBuilder.open(a: marked, b: marked)
    #expect(codes(both) == ["fastkv-android.slack-content": .note])
  }

  @Test func lengthOfZeroUnderAChecksumIsNoEmptyStore() {
    var builder = AndroidBuilder()
    builder.text("a", "one")
    builder.text("b", "two")
    var image = builder.bytes
    image.replaceSubrange(0..<4, with: [0, 0, 0, 0])
    let store = AndroidBuilder.open(a: image)
    #expect(codes(store)["fastkv-android.checksum-mismatch"] == .damage)
    #expect(codes(store)["fastkv-android.header-blank"] == nil)
    // If the checksum is zero as well, it is the header of an empty store.
    image.replaceSubrange(4..<12, with: [UInt8](repeating: 0, count: 8))
    #expect(codes(AndroidBuilder.open(a: image))["fastkv-android.header-blank"] == .damage)
  }

  @Test func temporaryFileBesideAKvcIsUnused() throws {
    let folder = try TemporaryFolder()
    var builder = AndroidBuilder()
    builder.text("a", "1")
    builder.capacity = nil
    try folder.write(builder.bytes, to: "kv.kvc")
    builder.text("b", "2")
    try folder.write(builder.bytes, to: "kv.tmp")
    let format = AndroidFastKVFormat()
    let store = format.open(try format.discover(at: folder.path.appending("kv.kvc"))).corrected()
    #expect(codes(store) == ["fastkv-android.tmp-unused": .warning])
    let best = try #require(Diagnosis(of: store, now: 0).best)
    #expect(best.snapshot.live.count == 1)
    try folder.write([1, 2, 3], to: "kv.kvc")
    let other = format.open(try format.discover(at: folder.path.appending("kv.kvc"))).corrected()
    #expect(
      codes(other) == [
        "fastkv-android.kvc-unused": .warning, "fastkv-android.tmp-passed-over": .damage,
      ])
    #expect(Diagnosis(of: other, now: 0).best?.snapshot.live.count == 2)
  }

  @Test func filesOfARewriteAreNotedAndNotRead() throws {
    let folder = try TemporaryFolder()
    for name in ["kv.kva", "kv.kvb", "temp_kv.kva", "temp_kv.tmp"] {
      try folder.write(AndroidBuilder.small.bytes, to: name)
    }
    let format = AndroidFastKVFormat()
    let store = format.open(try format.discover(at: folder.path)).corrected()
    #expect(store.check().map(\.code) == Array(repeating: "fastkv-android.rewrite-left", count: 2))
    #expect(expectSound(store, now: 0).verdict == .clean)
  }

  @Test func aMismatchNamesWhatIsStoredAndWhatIsComputed() throws {
    let builder = AndroidBuilder.small
    var image = builder.bytes
    image.replaceSubrange(40..<48, with: Array("damaged!".utf8))
    let finding = try #require(
      AndroidBuilder.open(a: image).check().first {
        $0.code == "fastkv-android.checksum-mismatch"
      })
    func text(_ sum: UInt64) -> String {
      let digits = String(sum, radix: 16)
      return "0x" + String(repeating: "0", count: 16 - digits.count) + digits
    }
    let computed = AndroidBuilder.checksum(Array(image[12..<12 + builder.data.count]))
    let stored = AndroidBuilder.checksum(builder.data)
    #expect(
      finding.message.hasSuffix(
        "of \(builder.data.count) bytes is \(text(computed)), but the header stores \(text(stored))"
      ),
      "\(finding.message)")
  }

  /// The name of this store starts with the prefix that a rewrite uses.
  @Test func onlyARewriteOfTheStoreItselfIsOne() throws {
    let folder = try TemporaryFolder()
    var builder = AndroidBuilder.small
    builder.capacity = nil
    for name in ["temp_kv.kvc", "temp_kv.tmp"] { try folder.write(builder.bytes, to: name) }
    let format = AndroidFastKVFormat()
    let store = format.open(try format.discover(at: folder.path)).corrected()
    #expect(codes(store) == ["fastkv-android.tmp-unused": .warning])
  }
}
