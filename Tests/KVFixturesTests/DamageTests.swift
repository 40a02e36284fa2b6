import Foundation
import KVBytes
import KVCryptography
import KVFixtures
import KVModel
import Testing

@Suite("Damage")
struct DamageTests {
  /// The operators that find something to damage in a plain MMKV store.
  static let operators = DamageOperator.all.filter {
    $0.isFor(SimulatedFormat.mmkv.format) && $0.name != "flip-vector"
  }

  /// The same operators, and those that are not used for corpora.
  static let moreOperators =
    operators + DamageOperator.further.filter { $0.isFor(SimulatedFormat.mmkv.format) }

  /// Returns a script of a store whose log spans several pages, with values that end in CR LF.
  private static func script(_ name: String, key: StoreKey? = nil) -> Script {
    var settings = StoreSettings()
    settings.key = key
    // The capacity is large enough that no value is lost to a rewrite.
    settings.capacity = 1 << 16
    return Script(settings) {
      for turn in 0..<6 {
        for index in 0..<40 {
          ScriptOperation.set(
            Key(Array("\(name)\(index)".utf8)),
            .string("value \(turn) of \(index)\r\n" + String(repeating: "x", count: index)))
        }
      }
      ScriptOperation.remove([Key(Array("\(name)7".utf8))])
      ScriptOperation.set(Key(Array("last".utf8)), .string("the last record of the log"))
    }
  }

  /// The target that most of the tests damage.
  static let plain = Result { try target(key: nil) }

  static func target(key: StoreKey?) throws -> DamageTarget {
    var simulation = try Simulation(script("key", key: key), seed: 1)
    var past: [DiskImage] = []
    while let step = try simulation.next() { past.append(step.before) }
    var foreign = try Simulation(script("other", key: key), seed: 2)
    try foreign.finish()
    return try DamageTarget(
      simulation.image, as: SimulatedFormat.mmkv.format, key: key, now: simulation.now,
      earlier: past[past.count - 2],
      foreign: foreign.image)
  }

  /// Returns a record of MMKV, as `Docs/FORMAT-MMKV.md` § Record describes it.
  private static func record(_ key: String, _ value: String) -> [UInt8] {
    func counted(_ bytes: [UInt8]) -> [UInt8] {
      bytes.count < 0x80
        ? [UInt8(bytes.count)] + bytes
        : [UInt8(bytes.count & 0x7f | 0x80), UInt8(bytes.count >> 7)] + bytes
    }
    let key = Hexadecimal.bytes(key) ?? []
    return counted(key) + counted(Hexadecimal.bytes(value) ?? [])
  }

  private static func isThere(_ run: [UInt8], in image: DiskImage) -> Bool {
    image.files.contains { file in
      // The answers are made with the library's own search, so this uses Foundation's.
      Data(file.bytes).range(of: Data(run)) != nil
    }
  }

  @Test("of every operator is written down as it is", arguments: moreOperators.map(\.name))
  func changesAreWrittenDown(name: String) throws {
    let target = try Self.plain.get()
    for seed in 0..<UInt64(8) {
      let damaged = try #require(
        DamageOperator.named(name)?.apply(to: target, seed: seed), "seed \(seed)")
      #expect(damaged.image != target.image, "seed \(seed)")
      #expect(!damaged.answer.changes.isEmpty)
      for change in damaged.answer.changes {
        let healthy = try #require(target.image[change.file]?.bytes)
        let range = change.offset..<change.offset + change.beforeCount
        #expect(range.upperBound <= healthy.count)
        if let before = change.before {
          #expect(before == Hexadecimal.text(healthy[range]), "seed \(seed)")
        }
        #expect((damaged.image[change.file] == nil) == (change.kind == "removed"))
      }
      // The changes in the answer key must turn the healthy files into the damaged ones.
      for file in target.image.files {
        var bytes = file.bytes
        for change in damaged.answer.changes.reversed()
        where change.file == file.name && change.kind == "bytes" {
          guard let after = change.after.flatMap(Hexadecimal.bytes) else { break }
          bytes.replaceSubrange(change.offset..<change.offset + change.beforeCount, with: after)
        }
        if let now = damaged.image[file.name],
          damaged.answer.changes.allSatisfy({ $0.after != nil })
        {
          #expect(now.bytes == bytes, "seed \(seed)")
        }
      }
    }
  }

  @Test("of both copies changes each of them, at different places")
  func bothCopiesChange() throws {
    var settings = StoreSettings()
    settings.format = .fastkvAndroid
    let script = Script(settings) {
      for index in 0..<20 {
        ScriptOperation.set(Key(Array("key\(index)".utf8)), .string("value \(index)"))
      }
    }
    var simulation = try Simulation(script, seed: 1)
    try simulation.finish()
    let target = try DamageTarget(simulation)
    let both = try #require(DamageOperator.named("both-copies"))
    for seed in 0..<UInt64(40) {
      let damaged = try #require(both.apply(to: target, seed: seed))
      let changed = target.image.files.filter { damaged.image[$0.name]?.bytes != $0.bytes }.map(
        \.name)
      #expect(changed == ["kv.kva", "kv.kvb"], "seed \(seed)")
    }
  }

  @Test(
    "leaves the records of untouched keys whole, and those of lost keys nowhere",
    arguments: moreOperators.map(\.name))
  func answersAgreeWithTheBytes(name: String) throws {
    let target = try Self.plain.get()
    for seed in 0..<UInt64(8) {
      let damaged = try #require(DamageOperator.named(name)?.apply(to: target, seed: seed))
      let answer = damaged.answer
      #expect(Set(answer.must).isSubset(of: answer.untouched))
      #expect(Set(answer.must).union(answer.may) == Set(answer.truth.keys))
      #expect(Set(answer.must).isDisjoint(with: answer.may))
      #expect(Set(answer.lost).isDisjoint(with: answer.untouched))
      for key in answer.untouched {
        let record = Self.record(key, try #require(answer.truth[key]))
        #expect(Self.isThere(record, in: damaged.image), "seed \(seed), \(key)")
      }
      for key in answer.lost {
        let record = Self.record(key, try #require(answer.truth[key]))
        #expect(!Self.isThere(record, in: damaged.image), "seed \(seed), \(key)")
      }
    }
  }

  /// Returns a store of few entries.
  ///
  /// The log ends within its first page, and the file ends within a page.
  private static func small(_ format: SimulatedFormat, count: Int) throws -> DamageTarget {
    var settings = StoreSettings()
    settings.format = format
    if format == .fastkvApple {
      (settings.width, settings.growth, settings.capacity) = (4, 1, 6000)
    }
    let script = Script(settings) {
      for index in 0..<count {
        ScriptOperation.set(Key(Array("key\(index)".utf8)), .string("value \(index)"))
      }
    }
    var simulation = try Simulation(script, seed: 1)
    try simulation.finish()
    return try DamageTarget(simulation)
  }

  /// Tests that the untouched keys are all those whose records are still there, in small stores, in
  /// which damage often begins or ends where a record does.
  @Test("leaves every key untouched whose record is there", arguments: ["insert", "flip-value"])
  func everyRecordThatIsThereIsUntouched(name: String) throws {
    let operation = try #require(DamageOperator.named(name))
    var counts: Set<Int> = []
    for count in 1...3 {
      let target = try Self.small(.mmkv, count: count)
      for seed in 0..<UInt64(100) {
        guard let damaged = operation.apply(to: target, seed: seed) else { continue }
        let answer = damaged.answer
        let there = answer.truth.filter { key, value in
          Self.isThere(Self.record(key, value), in: damaged.image)
        }
        counts.insert(there.count)
        #expect(Set(answer.untouched) == Set(there.keys), "\(count) entries, seed \(seed)")
        #expect(Set(answer.lost) == Set(answer.truth.keys).subtracting(there.keys))
      }
    }
    #expect(counts.isSuperset(of: [0, 1, 2]))
  }

  @Test("of a part of the log stays within the log, and is not all of it", arguments: [2, 12])
  func damageOfTheLogStaysInIt(count: Int) throws {
    let target = try Self.small(.mmkv, count: count)
    // The size is in the meta file. The data file starts with a header of four bytes.
    let meta = try #require(target.image["kv.crc"]?.bytes)
    let log = 4..<4 + Int(meta[28]) + Int(meta[29]) << 8
    for name in ["burst", "short-burst", "delete-block", "copy-block"] {
      for seed in 0..<UInt64(100) {
        guard let damaged = try #require(DamageOperator.named(name)).apply(to: target, seed: seed)
        else { continue }
        for change in damaged.answer.changes {
          let range = change.offset..<change.offset + change.beforeCount
          #expect(range.clamped(to: log) == range, "\(name), seed \(seed)")
          #expect(name == "burst" || range != log, "\(name), seed \(seed)")
        }
      }
    }
  }

  @Test("puts in and leaves out 1 to 16 bytes", arguments: ["insert", "delete"])
  func runsAreAsLongAsTheirNameSays(name: String) throws {
    let target = try Self.plain.get()
    let counts = try (0..<UInt64(200)).map { seed in
      let damaged = try #require(DamageOperator.named(name)?.apply(to: target, seed: seed))
      let data = try #require(target.image["kv"]?.bytes.count)
      return abs(try #require(damaged.image["kv"]?.bytes.count) - data)
    }
    #expect(Set(counts) == Set(1...16))
  }

  @Test("that exchanges blocks takes whole ones")
  func wholeBlocksAreExchanged() throws {
    let target = try Self.small(.fastkvApple, count: 80)
    let bytes = try #require(target.image.files.first).bytes
    #expect(bytes.count % 4096 != 0 && 18 + Int(bytes[10]) + Int(bytes[11]) << 8 > 4096)
    let pages = try #require(DamageOperator.named("exchange-pages"))
    for seed in 0..<UInt64(20) {
      let changes = pages.apply(to: target, seed: seed)?.answer.changes ?? []
      #expect(changes.allSatisfy { $0.beforeCount == 4096 }, "seed \(seed)")
    }
  }

  @Test("is decided by its seed", arguments: operators.map(\.name))
  func seedDecides(name: String) throws {
    let target = try Self.plain.get()
    let damage = try #require(DamageOperator.named(name))
    let results = (0..<UInt64(12)).map { damage.apply(to: target, seed: $0) }
    #expect(results == (0..<UInt64(12)).map { damage.apply(to: target, seed: $0) })
    let places = Set(results.map { $0?.image })
    let hasOnePlaceHere = ["stale-side-file", "foreign-side-file", "zero-side-file"].contains(name)
    #expect((places.count > 1) == (damage.hasPlacements && !hasOnePlaceHere))
  }

  @Test("knows what the store held, and what a key held before")
  func truthAndHistory() throws {
    let target = try Self.plain.get()
    let answer = try #require(DamageOperator.none.apply(to: target, seed: 0)).answer
    #expect(answer.truth.count == 40)
    #expect(answer.must.count == 40 && answer.lost.isEmpty && answer.changes.isEmpty)
    let removed = Hexadecimal.text(Array("key7".utf8))
    #expect(answer.truth[removed] == nil)
    #expect(answer.alsoTrue[removed]?.count == 6)
    let key = Hexadecimal.text(Array("key1".utf8))
    // An inner length, followed by the string.
    let text = Array("value 5 of 1\r\nx".utf8)
    #expect(answer.truth[key] == Hexadecimal.text([UInt8(text.count)] + text))
    #expect(answer.alsoTrue[key]?.count == 5)
  }

  /// Tests which entries must be recovered with an older meta file.
  ///
  /// Its checksum covers the log to its end at that time, including its last record.
  @Test("by an older meta file leaves what that one verifies, to its last byte")
  func whatAnOlderMetaFileVerifiesMustBeReturned() throws {
    let stale = try #require(DamageOperator.named("stale-side-file"))
    let answer = try #require(stale.apply(to: try Self.plain.get(), seed: 0)).answer
    // Before the removal and the last entry, the log ended with the last value of key39.
    #expect(answer.must.contains(Hexadecimal.text(Array("key39".utf8))))
    #expect(answer.may == [Hexadecimal.text(Array("last".utf8))])
  }

  @Test(
    "of one byte under MMKV's cipher spoils the block after it too",
    .enabled(if: Cryptography.isAvailable))
  func cipherSpreadsDamage() throws {
    let key = StoreKey(Array("0123456789abcdef".utf8))
    let plain = try Self.plain.get()
    let target = try Self.target(key: key)
    let burst = try #require(DamageOperator.named("flip-value"))
    var spread = 0
    var narrow = 0
    for seed in 0..<UInt64(20) {
      let ciphered = try #require(burst.apply(to: target, seed: seed)).answer.untouched.count
      let plain = try #require(burst.apply(to: plain, seed: seed)).answer.untouched.count
      #expect(ciphered <= plain)
      (spread, narrow) = (spread + ciphered, narrow + plain)
    }
    // Where the next block lies in the same record, no other is spoiled.
    #expect(spread < narrow)
    let vector = try #require(DamageOperator.named("flip-vector")?.apply(to: target, seed: 1))
    #expect(vector.answer.key == Hexadecimal.text(key.bytes))
    // After inserted bytes, the cipher blocks are misaligned.
    let insert = try #require(DamageOperator.named("insert"))
    var spoilt = 0
    for seed in 0..<UInt64(20) {
      let answer = try #require(insert.apply(to: target, seed: seed)).answer
      #expect(Set(answer.must).isSubset(of: answer.untouched))
      if answer.must.count < answer.untouched.count { spoilt += 1 }
    }
    // In rare cases, the bytes are inserted into the last record.
    #expect(spoilt > 10)
  }

  @Test("is done to healthy stores only")
  func damagedStoresAreRefused() throws {
    let target = try Self.plain.get()
    let damaged = try #require(DamageOperator.named("burst")?.apply(to: target, seed: 1))
    #expect(throws: FixtureError.self) {
      try DamageTarget(damaged.image, as: SimulatedFormat.mmkv.format, key: nil, now: 0)
    }
  }

  @Test(
    "that needs an earlier or a foreign state says so without one",
    arguments: ["torn-append", "stale-side-file", "foreign-side-file"])
  func missingStates(name: String) throws {
    let target = try DamageTarget(
      try Self.plain.get().image, as: SimulatedFormat.mmkv.format, key: nil, now: 0)
    #expect(DamageOperator.named(name)?.apply(to: target, seed: 1) == nil)
  }

  @Test("has the same answer, whenever the earlier state is given")
  func earlierStateIsGivenLater() throws {
    let target = try Self.plain.get()
    var later = try DamageTarget(
      target.image, as: SimulatedFormat.mmkv.format, key: nil, now: target.now)
    later.earlier = target.earlier
    let operation = try #require(DamageOperator.named("stale-side-file"))
    let (one, other) = (operation.apply(to: target, seed: 1), operation.apply(to: later, seed: 1))
    #expect(one != nil && one?.answer == other?.answer)
  }
}
