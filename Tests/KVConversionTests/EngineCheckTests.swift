import FastKVFormat
import KVBytes
import KVConversion
import KVModel
import KVSystem
import KVTestSupport
import MMKVFormat
import SystemPackage
import Testing

/// Reporting entries that the app's engine would lose, according to the model of its loading.
struct EngineCheckTests {
  private func source(_ entries: [TypedEntry]) -> TypedSource {
    TypedSource(EntryTable(formatName: "test", files: [], entries: entries, findings: []))
  }

  private func lost(_ entries: [TypedEntry], by encoder: any EntryEncoder) throws -> [Key] {
    var keys: [Key] = []
    _ = try Conversion(of: source(entries), by: encoder).survey { note in
      if note.loss.code == "convert.engine-loss" { keys.append(note.key) }
    }
    return keys
  }

  private static let entries = Samples.entries

  @Test func everyEngineGivesBackAllThatFits() throws {
    let encoders: [any EntryEncoder] = [
      MMKVFormat(now: 0), AppleFastKVFormat(), AppleFastKVFormat(pointerWidth: 4),
      AndroidFastKVFormat(),
    ]
    #expect(Self.entries.count > 20)
    for encoder in encoders { #expect(try lost(Self.entries, by: encoder) == []) }
    let expiring = Self.entries.prefix(5).enumerated().map { index, entry in
      TypedEntry(key: entry.key, value: entry.value, expiry: index == 0 ? 0 : 2_000_000_000)
    }
    #expect(try lost(Array(expiring), by: MMKVFormat(now: 0)) == [])
  }

  @Test func anEntryThatTheEngineDoesNotHaveIsALoss() throws {
    let entries = [
      TypedEntry(key: Key([0x61]), value: .string("one")),
      TypedEntry(key: Key([0x62]), value: .string("two")),
      TypedEntry(key: Key([0x63]), value: .string("three")),
    ]
    #expect(try lost(entries, by: Forgetful()) == [Key([0x62]), Key([0x63])])
  }
}

/// A format that omits the last entry, and writes the one before it with a wrong value.
private struct Forgetful: StoreEncoder {
  static let name = "forgetful"
  static let suffix = ""

  private let format = MMKVFormat(now: 0)

  func files(
    named name: FilePath, _ entries: [TypedEntry]
  ) throws(EncodingError) -> [EncodedFile] {
    try format.files(
      named: name,
      entries.dropLast().map { $0.key == Key([0x62]) ? $0.with(.string("tvo")) : $0 })
  }

  func fit(_ entry: TypedEntry) -> EntryFit { format.fit(entry) }

  func discover(
    at path: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> [StoreFile] {
    try format.discover(at: path, in: source)
  }

  func recognize(_ files: [StoreFile]) -> Recognized<MMKVStore> { format.recognize(files) }

  func open(_ files: [StoreFile]) -> MMKVStore { format.open(files) }

  func encode(
    _ contents: StoreContents, like store: MMKVStore, cipher: CipherChoice
  ) throws(EncodingError) -> [EncodedFile] {
    try format.encode(contents, like: store, cipher: cipher)
  }
}
