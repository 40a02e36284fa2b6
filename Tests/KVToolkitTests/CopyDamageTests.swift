import KVBytes
import KVFixtures
import KVInput
import KVModel
import KVRecovery
import KVSystem
import KVTestSupport
import KVToolkit
import MMKVFormat
import SystemPackage
import Testing

/// Stores whose files a tool changed while it copied them.
@Suite("Damage by copying")
struct CopyDamageTests {
  @Test(
    "What a tool changed is undone if checksums or the format prove it",
    arguments: CopiedSample.Kind.made, CopyTool.allCases)
  func undone(kind: CopiedSample.Kind, tool: CopyTool) throws {
    guard kind.isRead(after: tool) else { return }
    let folder = try TemporaryFolder()
    let sample = try CopiedSample(kind, in: folder.path)
    let copy = try TemporaryFolder()
    for file in sample.files { try copy.write(tool.copied(file.bytes), to: file.name) }
    let main = copy.path.appending(sample.main)
    let read = try sample.read(at: main)
    #expect(read.contents == sample.contents, "\(kind) \(tool)")
    // What reads text, or knows where its file ends, needs nothing to be undone.
    let isSame = sample.files.allSatisfy { tool.copied($0.bytes) == $0.bytes }
    if isSame || kind.isHealthy(after: tool) {
      #expect(!read.files.areUndone)
      return
    }
    #expect(read.codes.contains("store.copy-undone"))
    // The files that are reported are those that were found.
    for file in read.files {
      #expect(try file.foundImage == FileImage.read(file.path))
    }
  }

  @Test("Files without a change by a copy are read as found", arguments: RandomSeeds.fresh(2))
  func healthyStores(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for kind in CopiedSample.Kind.made {
      for _ in 0..<TestExtent.count(4, of: 40) {
        let folder = try TemporaryFolder()
        let sample = try CopiedSample(
          kind, in: folder.path, CopiedSample.texts(using: &random))
        let read = try sample.read(at: folder.path.appending(sample.main))
        #expect(!read.files.areUndone, "\(kind), seed \(seed)")
        #expect(read.contents == sample.contents, "\(kind), seed \(seed)")
        #expect(!read.codes.contains { $0.hasPrefix("store.copy") }, "\(kind), seed \(seed)")
      }
    }
  }

  @Test("Other damage to files full of CR LF is not undone", arguments: RandomSeeds.fresh(2))
  func otherDamage(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for kind in CopiedSample.Kind.made {
      for _ in 0..<TestExtent.count(6, of: 60) {
        let folder = try TemporaryFolder()
        let sample = try CopiedSample(
          kind, in: folder.path, (0..<9).map { "line \($0)\r\n\r\nline\r\n" })
        for file in sample.files where !file.bytes.isEmpty {
          var bytes = file.bytes
          if Bool.random(using: &random) {
            bytes[Int.random(in: bytes.indices, using: &random)] ^=
              1 << UInt8.random(in: 0..<8, using: &random)
          } else {
            bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
          }
          try folder.write(bytes, to: file.name)
        }
        guard let read = try? sample.read(at: folder.path.appending(sample.main)) else { continue }
        #expect(!read.files.areUndone, "\(kind), seed \(seed)")
      }
    }
  }

  @Test("CRs that a copy removed are put back where the checksum proves each place")
  func lostReturns() throws {
    let folder = try TemporaryFolder()
    let sample = try CopiedSample(
      .mmkv, in: folder.path, ["a\nb\nc\r\nd\n", "e\r\nf", "\n\n\r\n", "x"])
    let copy = try TemporaryFolder()
    for file in sample.files {
      try copy.write(CopyTool.replace(file.bytes, [13, 10], by: [10]), to: file.name)
    }
    let read = try sample.read(at: copy.path.appending(sample.main))
    #expect(read.contents == sample.contents)
    #expect(read.codes.contains("store.copy-undone"))
  }

  @Test("Where no checksum proves it, nothing is put back")
  func lostReturnsWithoutProof() throws {
    let folder = try TemporaryFolder()
    let sample = try CopiedSample(.apple, in: folder.path, ["a\nb\nc\r\nd\n", "e\r\nf"])
    for file in sample.files {
      try folder.write(CopyTool.replace(file.bytes, [13, 10], by: [10]), to: file.name)
    }
    let read = try sample.read(at: folder.path.appending(sample.main))
    #expect(!read.files.areUndone)
  }

  @Test(
    "Up to four lines that a tool wrote before a file are left out, and four before them",
    arguments: [1, 3, 4, 5, 8, 9])
  func linesBefore(count: Int) throws {
    let folder = try TemporaryFolder()
    let message = (0..<count).flatMap { Array("WARNING: linker, line \($0)\n".utf8) }
    for kind in [CopiedSample.Kind.mmkv, .binaryList, .database] {
      let sample = try CopiedSample(kind, in: folder.path)
      let copy = try TemporaryFolder()
      for file in sample.files { try copy.write(message + file.bytes, to: file.name) }
      let read = try? sample.read(at: copy.path.appending(sample.main))
      #expect((read?.files.areUndone ?? false) == (count <= 8), "\(kind)")
      if count <= 8 { #expect(read?.contents == sample.contents, "\(kind)") }
    }
  }

  @Test("CRs are not missed in what a message was before", arguments: [false, true])
  func lostReturnsAfterMessage(hasMessage: Bool) throws {
    let folder = try TemporaryFolder()
    let sample = try CopiedSample(.mmkv, in: folder.path, ["a\nb\nc\r\nd\n", "e\r\nf"])
    let copy = try TemporaryFolder()
    for file in sample.files {
      let bytes = CopyTool.replace(file.bytes, [13, 10], by: [10])
      try copy.write(hasMessage ? CopyTool.message.copied(bytes) : bytes, to: file.name)
    }
    let read = try? sample.read(at: copy.path.appending(sample.main))
    #expect((read?.files.areUndone ?? false) == !hasMessage)
  }

  @Test("Line ends are suspected only if there is a CR before each LF", arguments: 0...3)
  func linesWithoutCR(count: Int) throws {
    let pairs = (0..<7).flatMap { Array("line \($0)\r\n".utf8) }
    let others = (0..<count).flatMap { Array("\($0)\n".utf8) }
    let bytes = pairs + others + [0, 1, 2]
    let image = bytes + [UInt8](repeating: 0, count: 4096 + 7 - bytes.count)
    let files = [StoreFile(.data, at: "kv", FileImage(image))]
    #expect((files.copySign(mixedCount: nil, orLineEnds: true) != nil) == (count == 0))
  }

  @Test("Only the file that a copy changed is undone")
  func onlyDataFile() throws {
    let folder = try TemporaryFolder()
    let sample = try CopiedSample(.mmkv, in: folder.path)
    let meta = try #require(sample.files.first { $0.name.hasSuffix(".crc") })
    for file in sample.files {
      try folder.write(CopyTool.lineEnds.copied(file.bytes), to: file.name)
    }
    // This CR LF is none of a copy: it is in the vector, which a store without a key does not use.
    var bytes = meta.bytes
    bytes.replaceSubrange(12..<14, with: [13, 10])
    try folder.write(bytes, to: meta.name)
    let read = try sample.read(at: folder.path.appending(sample.main))
    #expect(read.contents == sample.contents)
    #expect(read.files.map { $0.copyDamage != nil } == [true, false])
  }

  @Test("The engine reads the files as found, and is predicted so")
  func prediction() throws {
    let folder = try TemporaryFolder()
    let sample = try CopiedSample(.mmkv, in: folder.path)
    for file in sample.files {
      try folder.write(CopyTool.lineEnds.copied(file.bytes), to: file.name)
    }
    let path = folder.path.appending(sample.main)
    let format = MMKVFormat(now: 1_760_000_000)
    let found = format.open(try format.discover(at: path))
    guard case .store(let best, _) = try sample.files(at: path) else {
      Issue.record("it is no store")
      return
    }
    func check(_ undone: some FoundStore) {
      let store = undone.open()
      let diagnosis = Diagnosis(of: store, now: 1_760_000_000)
      #expect(diagnosis.verdict == .repairable)
      for prediction in diagnosis.predictions {
        let answers = EngineAnswers(always: prediction.answer)
        #expect(prediction.load == found.engineLoad(answering: answers))
      }
      #expect(diagnosis.predictions.first?.lostKeys.count == diagnosis.entries.total)
    }
    check(best.found)
  }

  @Test("A repair writes the store as it was to a new folder, and none in place")
  func repair() throws {
    let folder = try TemporaryFolder()
    let sample = try CopiedSample(.mmkv, in: folder.path)
    for file in sample.files { try folder.write(CopyTool.base64.copied(file.bytes), to: file.name) }
    let path = folder.path.appending(sample.main).string
    let store = try KeyValueStore(at: path)
    #expect(store.verdict == .repairable)
    #expect(store.entries.allSatisfy { $0.evidence == .checksum && $0.cautions.isEmpty })
    let error = #expect(throws: StoreError.self) { try store.repairInPlace() }
    #expect(error?.message.contains("changed while it was copied") == true)
    for file in sample.files {
      #expect(try folder.bytes(of: file.name) == CopyTool.base64.copied(file.bytes))
    }
    let out = folder.path.appending("out").string
    try store.repair(into: out)
    let repaired = try KeyValueStore(at: out)
    #expect(repaired.verdict == .clean)
    #expect(repaired.entries.map(\.key) == store.entries.map(\.key))
    for entry in store.entries { #expect(repaired[entry.key]?.bytes == entry.bytes) }
  }

  @Test("A copy that cannot be undone is said to be one, and not to be emptied")
  func decoded() throws {
    let words: [(tool: CopyTool, word: String)] = [
      (.decoder, "text decoder"), (.sevenBits, "7 bits"), (.questionMarks, "7 bits"),
      (.spacesForZeros, "drops zeros"), (.withoutZeros, "drops zeros"),
    ]
    for (tool, word) in words {
      let isZeros = [.spacesForZeros, .withoutZeros].contains(tool)
      for kind in CopiedSample.Kind.made
      where [.mmkv, .mmkvWithKey, .apple, .android].contains(kind)
        || !isZeros && [.binaryList, .database].contains(kind)
      {
        let folder = try TemporaryFolder()
        let sample = try CopiedSample(
          kind, in: folder.path,
          CopiedSample.usualTexts + (0..<20).map { "grün, text number \($0)" })
        for file in sample.files { try folder.write(tool.copied(file.bytes), to: file.name) }
        guard let read = try? sample.read(at: folder.path.appending(sample.main)) else { continue }
        // An exclusive or of bytes with a bit cleared is their exclusive or with it cleared: it matches.
        if kind == .android, tool == .sevenBits { continue }
        #expect(read.codes.contains("store.copy-suspected"), "\(kind) \(tool)")
        #expect(read.messages.contains { $0.contains(word) }, "\(kind) \(tool)")
        #expect(!read.codes.contains("store.emptied"), "\(kind) \(tool)")
      }
    }
  }

  /// Tests stores of which only zeros are left after the first record.
  @Test("Bytes that were written over do not count as changed by a copy")
  func overwritten() throws {
    for kind in [CopiedSample.Kind.mmkv, .apple] {
      let folder = try TemporaryFolder()
      let sample = try CopiedSample(kind, in: folder.path, (0..<20).map { "text number \($0)" })
      for file in sample.files where !file.name.hasSuffix(".crc") {
        try folder.write(
          file.bytes.enumerated().map { $0 < 40 ? $1 & 0x7f : 0 }, to: file.name)
      }
      let read = try sample.read(at: folder.path.appending(sample.main))
      #expect(read.findings.contains { $0.severity == .damage }, "\(kind)")
      #expect(!read.codes.contains("store.copy-suspected"), "\(kind)")
    }
  }

  @Test("Line ends that no checksum proves are a note, and are not undone")
  func lineEndsWithoutProof() throws {
    let folder = try TemporaryFolder()
    let sample = try CopiedSample(.mmkv, in: folder.path)
    for file in sample.files where !file.name.hasSuffix(".crc") {
      try folder.write(CopyTool.lineEnds.copied(file.bytes), to: file.name)
    }
    try Folder.removeFile(folder.path.appending(sample.main + ".crc"))
    let read = try sample.read(at: folder.path.appending(sample.main))
    #expect(!read.files.areUndone)
    #expect(read.findings.contains { $0.code == "store.copy-suspected" && $0.severity == .note })
  }

  @Test("What unpacks to too much, or is packed too often, is not unpacked")
  func limits() throws {
    let folder = try TemporaryFolder()
    let sample = try CopiedSample(.mmkv, in: folder.path)
    let bomb = CopyTool.gzip.copied([UInt8](repeating: 0, count: 1 << 27 + 1))
    try folder.write(bomb, to: sample.main)
    #expect(bomb.count < 1 << 20)
    let read = try? sample.read(at: folder.path.appending(sample.main))
    #expect(read?.files.areUndone != true)
    for file in sample.files {
      var bytes = file.bytes
      for _ in 0..<3 { bytes = CopyTool.gzip.copied(bytes) }
      try folder.write(bytes, to: file.name)
    }
    let nested = try? sample.read(at: folder.path.appending(sample.main))
    #expect(nested?.files.areUndone != true)
    // One layer less is undone.
    for file in sample.files {
      try folder.write(
        CopyTool.base64.copied(CopyTool.gzip.copied(file.bytes)), to: file.name)
    }
    #expect(try sample.read(at: folder.path.appending(sample.main)).contents == sample.contents)
  }

  @Test("A scan finds such stores", arguments: [CopyTool.lineEnds, .base64, .hexdump])
  func scan(tool: CopyTool) throws {
    let folder = try TemporaryFolder()
    let preferences = folder.path.appending("Preferences")
    try Folder.make(preferences)
    let stores = try [CopiedSample(.mmkv, in: folder.path), .init(.android, in: folder.path)]
    let list = try CopiedSample(.binaryList, in: preferences)
    for file in stores.flatMap(\.files) {
      try folder.write(tool.copied(file.bytes), to: file.name)
    }
    for file in list.files {
      try folder.write(tool.copied(file.bytes), to: "Preferences/" + file.name)
    }
    var found: [String: StoreOutcome] = [:]
    TreeScan(.standard, .init(FormatOptions(now: 1_760_000_000)))
      .run(TreeWalk([folder.path]), overlapping: false) {
        found[$0.path.lastComponent?.string ?? ""] = $0
        return true
      }
    #expect(found.count == 3, "\(found.keys)")
    for outcome in found.values {
      #expect("\(outcome)".contains("store.copy-undone"), "\(outcome.path)")
    }
  }
}
