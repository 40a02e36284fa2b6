import Foundation
import KVFixtures
import KVModel
import KVTestSupport
import KVToolkit
import Synchronization
import SystemPackage
import Testing

/// How an app uses its own store with the library: opening it, reading values by type, and
/// repairing it.
struct KeyValueStoreTests {
  private static let fixtures =
    #filePath.replacing("Tests/KVToolkitTests/KeyValueStoreTests.swift", with: "Fixtures/")
  private static let damaged = fixtures + "mmkv/damaged/flip_keylen_fwb"

  /// Writes the files of a store made by `script` to a folder.
  private static func write(_ script: Script, into folder: borrowing TemporaryFolder) throws {
    var simulation = try Simulation(script, seed: 1)
    try simulation.finish()
    for file in simulation.image.files { try folder.write(file.bytes, to: file.name) }
  }

  #if Archives
    @Test("A TAR archive is not opened as a store, and a repair does not replace it")
    func archiveIsNoStore() throws {
      let folder = try TemporaryFolder()
      let made = try Process.run(
        URL(fileURLWithPath: "/usr/bin/env"),
        arguments: ["tar", "-C", Self.damaged, "-cf", folder.path.appending("x.tar").string, "kv"])
      made.waitUntilExit()
      let path = folder.path.appending("x.tar").string
      let error = #expect(throws: StoreError.self) { try KeyValueStore(at: path) }
      #expect(error?.reason == .severalStores)
      #expect(try KeyValueStore(at: path + "!kv").format == "mmkv")
    }
  #endif

  @Test("What kvfsck itself wrote is refused, although it lies where a store was")
  func ownOutputIsNoStore() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Array("key,key_hex,type,value,\n".utf8), to: "kv")
    try folder.write([UInt8](repeating: 0, count: 4096), to: "kv.crc")
    let error = #expect(throws: StoreError.self) { try KeyValueStore(at: path.string) }
    #expect(error?.reason == .notRecognized)
    #expect(error?.message.contains("a CSV file that kvfsck wrote") == true)
  }

  @Test("A damaged store is repaired by one call; the new one is clean and has the same entries")
  func repair() throws {
    let store = try KeyValueStore(at: Self.damaged)
    #expect(store.format == "mmkv")
    #expect(store.verdict == .repairable)
    #expect(store.entries.count == 29)
    #expect(store.entries.allSatisfy { $0.evidence == .corrected })
    let folder = try TemporaryFolder()
    let out = folder.path.appending("repaired").string
    let repair = try store.repair(into: out)
    #expect(repair.keptCount == 29)
    #expect(repair.isComplete && repair.leftOut == [] && repair.backup == nil)
    #expect(repair.files.map { URL(fileURLWithPath: $0).lastPathComponent } == ["kv", "kv.crc"])
    let repaired = try KeyValueStore(at: out)
    #expect(repaired.verdict == .clean)
    #expect(repaired.entries.count == 29)
    for entry in store.entries { #expect(repaired[entry.key]?.bytes == entry.bytes) }
    // Nothing is overwritten.
    let error = #expect(throws: StoreError.self) { try store.repair(into: out) }
    #expect(error?.reason == .cannotWrite)
    #expect(error?.message.contains("repaired/kv") == true)
  }

  @Test("A file that is named like a store is one, also without content")
  func emptied() throws {
    let store = try KeyValueStore(
      at: Self.fixtures + "fastkv-apple/damaged/mix64__trunc_empty/store.fkv")
    #expect(store.format == "fastkv-apple" && store.verdict != .clean && store.entries.isEmpty)
    let folder = try TemporaryFolder()
    let text = try folder.write([UInt8](repeating: 0x41, count: 40), to: "notes.txt")
    #expect(throws: StoreError.self) { try KeyValueStore(at: text.string) }
  }

  @Test("Entries that the answer discards are named as left out")
  func discarded() throws {
    let store = try KeyValueStore(at: Self.fixtures + "mmkv/damaged/head_zero_16_fwb")
    let folder = try TemporaryFolder()
    let out = folder.path.appending("repaired").string
    let repair = try store.repair(into: out, answering: .discard)
    #expect(repair.keptCount == 0 && !repair.isComplete)
    #expect(repair.leftOut.map(\.key) == store.entries.map(\.key))
    #expect(repair.leftOut.allSatisfy { $0.reason.contains("discard") })
  }

  #if Archives
    @Test("A store in an archive is opened where it is")
    func archive() throws {
      let folder = try TemporaryFolder()
      var tar: [UInt8] = []
      for name in ["kv", "kv.crc"] {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(Self.damaged)/\(name)")))
        var header = [UInt8](repeating: 0, count: 512)
        func put(_ text: String, at offset: Int) {
          header.replaceSubrange(offset..<offset + text.utf8.count, with: Array(text.utf8))
        }
        put("app/\(name)", at: 0)
        put("0000644", at: 100)
        put(
          "0" + String(repeating: "0", count: 10 - String(bytes.count, radix: 8).count)
            + String(bytes.count, radix: 8), at: 124)
        put("        ", at: 148)
        put("0", at: 156)
        put("ustar", at: 257)
        let sum = String(header.reduce(0) { $0 + Int($1) }, radix: 8)
        put(String(repeating: "0", count: 6 - sum.count) + sum + "\0 ", at: 148)
        tar += header + bytes + [UInt8](repeating: 0, count: (512 - bytes.count % 512) % 512)
      }
      try folder.write(tar + [UInt8](repeating: 0, count: 1024), to: "a.tar")
      let path = folder.path.appending("a.tar").string
      let store = try KeyValueStore(at: path + "!app/kv")
      #expect(store.entries.count == 29 && store.verdict == .repairable)
      let error = #expect(throws: StoreError.self) { try KeyValueStore(at: path + "!app/x") }
      #expect(error?.message.contains("no such file") == true)
    }
  #endif

  @Test("The two answers keep what they say: all that can be read, or what a checksum verifies")
  func answers() throws {
    let store = try KeyValueStore(at: Self.fixtures + "mmkv/damaged/burst_fwb")
    let folder = try TemporaryFolder()
    let recovered = try store.repair(into: folder.path.appending("r").string, answering: .recover)
    let discarded = try store.repair(into: folder.path.appending("d").string, answering: .discard)
    // Entries that are more likely wrong than right are set aside.
    #expect(recovered.keptCount == store.entries.count { $0.probability.value >= 0.5 })
    #expect(recovered.keptCount < discarded.keptCount, "here the older state has more entries")
    #expect(!discarded.isComplete)
    let kept = try KeyValueStore(at: folder.path.appending("d").string)
    #expect(kept.entries.allSatisfy { $0.evidence == .checksum })
  }

  @Test(
    "Values are had by the types that the app has stored", arguments: SimulatedFormat.allCases)
  func types(format: SimulatedFormat) throws {
    func key(_ name: String) -> Key { Key(Array(name.utf8)) }
    var settings = StoreSettings()
    settings.format = format
    let script = Script(
      settings,
      [
        .set(key("token"), .string("abc")), .set(key("json"), .string("{\"a\":1}")),
        .set(key("on"), .bool(true)), .set(key("count"), .int32(-5)),
        .set(key("large"), .int64(1 << 40)), .set(key("ratio"), .double(0.25)),
        .set(key("gone"), .bool(true)), .remove([key("gone")]),
      ])
    let folder = try TemporaryFolder()
    try Self.write(script, into: folder)
    let store = try KeyValueStore(at: folder.path.string)
    #expect(store.verdict == .clean)
    #expect(store.format == format.rawValue)
    #expect(store["token"]?.string == "abc")
    #expect(store["json"]?.string == "{\"a\":1}")
    #expect(store["on"]?.bool == true)
    #expect(store["count"]?.int == -5)
    #expect(store["large"]?.int == 1 << 40)
    #expect(store["ratio"]?.double == 0.25)
    #expect(store["gone"] == nil && store["there is no such key"] == nil)
    #expect(store["ratio"]?.strings == nil && store["ratio"]?.string == nil)
  }

  @Test("An error says what went wrong and where, and names no type of Swift's")
  func errors() throws {
    let missing = #expect(throws: StoreError.self) { try KeyValueStore(at: "/nowhere/settings") }
    #expect(missing?.reason == .notFound)
    // Not the current folder.
    let empty = #expect(throws: StoreError.self) { try KeyValueStore(at: "") }
    #expect(empty?.reason == .notFound)
    var options = OpeningOptions()
    options.format = "no-format"
    let unknown = #expect(throws: StoreError.self) {
      try KeyValueStore(at: Self.damaged, options: options)
    }
    #expect(unknown?.reason == .notRecognized)
    #expect(unknown?.message.contains("no-format") == true)
    #expect("\(try #require(missing))".contains("/nowhere/settings"))
    #expect(String(reflecting: try #require(missing)) == missing?.message)
    let foreign = #expect(throws: StoreError.self) { try KeyValueStore(at: #filePath) }
    #expect(foreign?.reason == .notRecognized)
    let several = #expect(throws: StoreError.self) {
      let folder = try TemporaryFolder()
      for name in ["one", "two"] {
        var settings = StoreSettings()
        settings.name = name
        try Self.write(
          Script(settings, [.set(Key([97]), .string("some text"))]), into: folder)
      }
      _ = try KeyValueStore(at: folder.path.string)
    }
    #expect(several?.reason == .severalStores)
  }

  @Test("A repair as a task says how far it is, and writes nothing once cancelled")
  func tasks() async throws {
    let folder = try TemporaryFolder()
    let out = folder.path.appending("repaired").string
    let stages = Mutex<[RepairStage]>([])
    let repair = try await KeyValueStore.repair(at: Self.damaged, into: out) { stage in
      stages.withLock { $0.append(stage) }
    }
    #expect(repair.keptCount == 29)
    let seen = stages.withLock { $0 }
    #expect(seen == [.reading, .diagnosing(byteCount: 8192), .writing])
    #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.fractionCompleted < $1.fractionCompleted })

    let other = folder.path.appending("cancelled").string
    let task = Task {
      // The task cancels itself at its first stage, so that the test does not depend on timing.
      try await KeyValueStore.repair(at: Self.damaged, into: other) { _ in
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      }
    }
    let result = await task.result
    let error = #expect(throws: StoreError.self) { try result.get() }
    #expect(error?.reason == .cancelled)
    #expect(try folder.names() == ["repaired"])
  }

  #if Encryption
    @Test("An encrypted store takes its key; without it, its entries cannot be read")
    func encryption() throws {
      let path = Self.fixtures + "mmkv/golden/aes128_key16"
      var options = OpeningOptions()
      options.key = Array("0123456789abcdef".utf8)
      let store = try KeyValueStore(at: path, options: options)
      #expect(store.verdict == .clean)
      #expect(!store.entries.isEmpty)
      let locked = try KeyValueStore(at: path)
      #expect(locked.verdict == .unreadable)
      #expect(locked.entries.isEmpty)
      let folder = try TemporaryFolder()
      let error = #expect(throws: StoreError.self) {
        try locked.repair(into: folder.path.appending("out").string)
      }
      #expect(error?.reason == .unreadable)
    }

    @Test("A repair in place keeps a backup, which brings the files back byte for byte")
    func inPlace() throws {
      let folder = try TemporaryFolder()
      for name in ["kv", "kv.crc"] {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.damaged + "/" + name)))
        try folder.write(bytes, to: name)
      }
      let before = try (folder.bytes(of: "kv"), folder.bytes(of: "kv.crc"))
      let repair = try KeyValueStore(at: folder.path.string).repairInPlace()
      let backup = try #require(repair.backup)
      #expect(try KeyValueStore(at: folder.path.appending("kv").string).verdict == .clean)
      #expect(try folder.bytes(of: "kv") != before.0)
      try KeyValueStore.undoRepair(backup: backup)
      #expect(try folder.bytes(of: "kv") == before.0)
      #expect(try folder.bytes(of: "kv.crc") == before.1)
    }
  #endif
}
