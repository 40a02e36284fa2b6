import Foundation
import KVFixtures
import KVTestSupport
import Testing

/// Scanning folders in which files have the names of a store's files by chance.
struct SharedNameTests {
  private let scratch: Scratch
  private let extraction: Extraction

  init() throws {
    scratch = try Scratch()
    extraction = Extraction(in: scratch)
  }

  /// A name such as FastKV for Android gives to a file with a long value, and caches to files.
  private static func hash(_ index: Int) -> String {
    let digits = String(index, radix: 16)
    return "5a" + String(repeating: "0", count: 30 - digits.utf8.count) + digits
  }

  private func paths(_ arguments: [String]) async throws -> [String?] {
    let outcome = try await Tool.run(["scan"] + .clock + arguments, in: scratch.path)
    return try outcome.objects("result").map { $0["path"]?.string }
  }

  // MARK: Names that are only a suffix

  /// Tests that a file whose name is a suffix belongs neither to its folder nor to a store beside that.
  @Test func aNameThatIsOnlyASuffixHasNoOtherMain() async throws {
    for folder in ["d", "none"] { _ = try scratch.makeFolder(folder) }
    try extraction.copy("fastkv-android/golden/nb_all_types", ".", as: "d")
    try extraction.copy("fastkv-android/golden/nb_all_types", "d", as: "")
    _ = try scratch.write([1, 2, 3], to: "none/.crc")
    #expect(try await paths(["d/.kvb"]) == ["d/.kvb"])
    #expect(try await paths(["none/.crc"]) == ["none/.crc"])
    #expect(try await paths(["d.kvb"]) == ["d.kva"])
    _ = try scratch.makeFolder("store")
    let data = try Data(
      contentsOf: URL(filePath: "\(Fixture.root)/libraries/datastore/00-good.preferences_pb"))
    for suffix in ["", ".tmp"] {
      _ = try scratch.write(Array(data), to: "store/.preferences_pb\(suffix)")
    }
    #expect(try await paths(["store"]) == ["store/.preferences_pb"])
  }

  // MARK: Names of 32 digits

  /// Tests that the size of a folder of hashed names does not multiply what is read of each file.
  @Test(.enabled(if: FileManager.default.isReadableFile(atPath: "/proc/self/io")))
  func aCacheIsReadOnce() async throws {
    var random = SeededGenerator(seed: RandomSeeds.run)
    for folder in ["cache", "kv"] { _ = try scratch.makeFolder(folder) }
    try extraction.copy("fastkv-android/golden/nb_all_types", ".", as: "kv")
    for index in 0..<300 {
      let noise = (0..<3000).map { _ in UInt8.random(in: 0...255, using: &random) }
      for folder in ["cache", "kv"] {
        _ = try scratch.write(noise, to: "\(folder)/\(Self.hash(index))")
      }
    }
    for folder in ["cache", "."] {
      let outcome = try await Tool.shell(
        """
        before=$(awk '/^rchar/ {print $2}' /proc/$$/io)
        "$0" scan --jobs 1 \(folder) >/dev/null
        while read -r name count; do
          [ "$name" = rchar: ] && echo $((count - before))
        done </proc/$$/io
        """, in: scratch.path)
      // The files have 900 kB in each folder, of which a part is read once more to tell archives.
      let count = try #require(Int(outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)))
      #expect(count > 900_000 && count < 5_000_000)
    }
    #expect(try await paths(["cache"]) == [])
    #expect(try await paths(["."]) == ["./kv.kva"])
  }

  /// Tests that a folder of images with hashed names is not called a store.
  @Test func imagesWithHashedNamesAreNoStore() async throws {
    _ = try scratch.makeFolder("cache")
    for index in 0..<5 {
      let image = [0xff, 0xd8, 0xff, 0xe0] + [UInt8](repeating: UInt8(index), count: 3000)
      _ = try scratch.write(image, to: "cache/\(Self.hash(index))")
    }
    for path in ["cache", "cache/\(Self.hash(1))"] {
      let outcome = try await Tool.run(["check", path], in: scratch.path)
      #expect(outcome.status == 8, "\(outcome.testDescription)")
    }
  }

  /// Tests that external files without their store are not called a clean store.
  @Test func externalFilesWithoutACopyAreDamage() async throws {
    let source = "\(Fixture.root)/fastkv-android/damaged/ext__main_lost/kv"
    let outcome = try await Tool.run(["check", "--json", source] + .clock)
    #expect(outcome.status == 4, "\(outcome.testDescription)")
    let codes = try outcome.objects("finding").map { $0["code"]?.string }
    #expect(codes.first == "fastkv-android.copy-missing", "\(codes)")
    #expect(try outcome.objects("summary").first?["verdict"]?.string == "damaged")
  }

  /// Tests that a store of MMKV is found where FastKV keeps the values of one of its own.
  @Test func aStoreAmongTheValuesOfAnotherIsFound() async throws {
    let source = "\(Fixture.root)/fastkv-android/golden/old_external"
    #expect(
      try await Tool.run("/bin/cp", ["-r", source, scratch.path("tree")]).status == 0)
    let before = try await Tool.run(["scan", "tree/kv.kva"] + .clock, in: scratch.path)
    try extraction.copy("mmkv/golden/all_types", "tree/kv", as: Self.hash(0))
    try extraction.copy("mmkv/golden/all_types", "tree", as: "kv.tmp")
    let expected = ["tree/kv.kva", "tree/kv.tmp", "tree/kv/\(Self.hash(0))"]
    #expect(try await paths(["tree"]) == expected)
    #expect(try await paths(["tree", "tree/kv.kvb", "tree"]) == expected)
    var found: [String?] = []
    for part in 1...4 { found += try await paths(["--shard", "\(part)/4", "tree"]) }
    #expect(found.compactMap(\.self).sorted() == expected)
    // The store of MMKV is no damage to the other.
    let after = try await Tool.run(["scan", "tree/kv.kva"] + .clock, in: scratch.path)
    #expect(
      try after.objects("result").first?["verdict"] == before.objects("result").first?["verdict"])
  }

  // MARK: Names of indexes

  /// Tests that a database called like the index of a backup, or an index that cannot be read, does
  /// not hide the stores beside it.
  @Test(arguments: [Array("no database".utf8), []])
  func anIndexHidesNoStore(bytes: [UInt8]) async throws {
    try extraction.copy("mmkv/golden/all_types", "tree", as: "kv")
    try extraction.copy("mmkv/golden/all_types", "tree/aa", as: "kv")
    _ = try scratch.write(bytes, to: "tree/Manifest.db")
    #expect(try await paths(["tree"]) == ["tree/kv", "tree/aa/kv", "tree"])
  }

  @Test func aDatabaseWithTheNameOfAnIndexIsNoBackup() async throws {
    try extraction.copy("mmkv/golden/all_types", "tree", as: "kv")
    try extraction.copy("mmkv/golden/all_types", "tree/aa", as: "kv")
    let script = """
      import sqlite3
      d = sqlite3.connect("tree/Manifest.db")
      d.execute("CREATE TABLE assets(name TEXT)")
      d.commit()
      """
    #expect(try await Python.run(script, [], in: scratch.path).status == 0)
    #expect(try await paths(["tree"]) == ["tree/kv", "tree/aa/kv"])
    _ = try scratch.write(Array("<plist></plist>".utf8), to: "tree/Manifest.plist")
    #expect(try await paths(["tree"]) == ["tree/kv", "tree/aa/kv", "tree"])
  }

  // MARK: Names that are equal as text

  /// Tests that names that are equal as text are in the order of their bytes, not of chance.
  @Test func namesThatAreEqualAsTextHaveAnOrder() async throws {
    // Each letter with an accent of its own, and then as one with it.
    let names = ["a", "e", "i", "o", "u", "y"].flatMap { letter in
      let apart = "\(letter)\u{301}"
      return [apart, apart.precomposedStringWithCanonicalMapping]
    }
    for name in names.reversed() {
      try extraction.copy("mmkv/golden/all_types", "tree/\(name)", as: "kv")
    }
    let expected = names.map { Array("tree/\($0)/kv".utf8) }
    #expect(try await paths(["tree"]).map { Array(($0 ?? "").utf8) } == expected)
    #if Archives
      let packed = try await Tool.run(
        "tar", ["cf", "a.tar", "--format=gnu", "tree"], in: scratch.path)
      #expect(packed.status == 0)
      let members = try await paths(["a.tar"]).map { Array(($0 ?? "").utf8.dropFirst(6)) }
      #expect(members == expected)
    #endif
  }

  #if Archives
    /// Tests that a file with the checksum of an archive does not hide the archive.
    @Test func aChecksumBesideAnArchiveDoesNotHideIt() async throws {
      try extraction.copy("mmkv/golden/all_types", "tree", as: "kv")
      let made = try await Tool.shell(
        """
        cd tree && tar cf a.tar kv kv.crc && python3 -m zipfile -c b.zip kv kv.crc && rm kv kv.crc
        for name in a.tar b.zip; do md5sum $name >$name.crc; done
        """, in: scratch.path)
      #expect(made.status == 0, "\(made.testDescription)")
      #expect(try await paths(["tree"]) == ["tree/a.tar!kv", "tree/b.zip!kv"])
    }
  #endif
}
