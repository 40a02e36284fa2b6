import KVInput
import KVModel
import KVSystem
import KVTestSupport
import MMKVFormat
import SystemPackage
import Testing

/// The choice between a store with a log and a table in the same file.
struct RecognizerTests {
  /// A table that is as likely as it is made.
  private struct Rival: EntryReader {
    static let name = "rival"
    let likelihood: Int

    func discover(
      at path: FilePath, in source: any FileSource
    ) throws(DiscoveryError) -> [StoreFile] {
      [try source.file(at: path)]
    }
    func recognition(of files: [StoreFile]) -> Recognition { Recognition(likelihood, because: []) }
    func read(_ files: [StoreFile]) -> EntryTable {
      EntryTable(formatName: Self.name, files: files, entries: [], findings: [])
    }
  }

  /// Tests that the store with a log is taken where a table is as likely, and not where one is
  /// likelier.
  @Test func ofEqualsTheStoreWithALogIsTaken() throws {
    let folder = try TemporaryFolder()
    let builder = MMKVFixtureBuilder(texts: (0..<8).map { ("key \($0)", "value \($0)") })
    var data = builder.data
    // Two bytes of two values.
    for value in ["value 2", "value 5"] {
      let place = try #require(data.firstRange(of: Array(value.utf8)))
      data[place.lowerBound + 1] ^= 0x55
    }
    let path = try folder.write(data, to: "kv")
    try folder.write(builder.meta, to: "kv.crc")
    let formats = Formats([MMKVFormat(now: 0)])
    let own = try formats.candidates(at: path, in: DiskSource()).best.possibility.recognition
      .likelihood
    #expect((Readers.recognized..<95).contains(own), "\(own)")
    for likelihood in own - 1...own + 1 {
      let recognizer = Recognizer(formats, Readers([Rival(likelihood: likelihood)]))
      let found = try recognizer.files(at: path, .found(isNamedAsStore: true), in: DiskSource())
      let isStore = if case .store = found { true } else { false }
      #expect(isStore == (likelihood <= own), "\(likelihood), and the store's \(own)")
    }
  }
}
