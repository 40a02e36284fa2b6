import ExchangeFormats
import KVConversion
import KVFixtures
import KVModel
import KVRecovery
import KVSystem
import KVTestSupport
import MMKVFormat
import SystemPackage
import Testing

/// Conversions, which must read each entry once.
///
/// Messages must not depend on how many entries are read at a time.
struct ConversionPassTests {
  private static func source(_ entries: [TypedEntry]) -> TypedSource {
    TypedSource(EntryTable(formatName: "test", files: [], entries: entries, findings: []))
  }

  @Test func eachEntryIsFittedOnceAndItsLossesAreSaidOnce() throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("out")
    for passCount in 1...2 {
      let fitted = Counter()
      var notes: [Key] = []
      let files = try Conversion(
        of: Self.source(Samples.entries), by: Counting(fitted: fitted, passCount: passCount)
      ).write(to: path, permissions: .ownerReadWrite) { notes.append($0.key) }
      #expect(fitted.count == passCount * Samples.entries.count)
      #expect(notes == Samples.entries.map(\.key))
      #expect(files.summary.written == Samples.entries.count)
      #expect(files.summary.notes == Samples.entries.count)
      #expect(files.paths == [path])
      // The files are not committed, so they do not have their final names.
      #expect(!Folder.exists(path) && Folder.isTaken(path) == false)
    }
    #expect(try folder.names() == [])
  }

  @Test func whatIsWrittenAppearsWhenItIsCommitted() throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("out")
    let conversion = Conversion(
      of: Self.source(Samples.entries), by: Counting(fitted: Counter(), passCount: 1))
    try conversion.write(to: path, permissions: .ownerReadWrite) { _ in }.commit()
    #expect(try folder.names() == ["out"])
    #expect(try folder.bytes(of: "out").count == Samples.entries.count)
    var notes = 0
    #expect(try conversion.survey { _ in notes += 1 }.written == Samples.entries.count)
    #expect(notes == Samples.entries.count)
  }

  /// Tests the typing of a store with more entries than are typed at once.
  ///
  /// The keys are short and long, and follow several patterns.
  @Test(arguments: RandomSeeds.fresh(1))
  func manyEntriesAreTakenForWhatEachIs(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var builder = MMKVFixtureBuilder()
    let names = ["is_open", "count", "user_name", "q", "lastSeenAt", "data"]
    var keys: [String] = []
    for number in 0..<20_000 {
      let key = "\(names.randomElement(using: &random) ?? "")_\(number)"
      keys.append(key)
      builder.put(key, Self.bytes(&random))
    }
    let store = MMKVFormat(now: 0).open(builder.files()).corrected()
    let diagnosis = Diagnosis(of: store, now: 0)
    let plan = try #require(RepairPlanner(strategy: .recover).plan(store, given: diagnosis))
    let source = TypedSource(store, diagnosis, plan, assumesLikeliest: true)
    let typing = StoreTyping(of: store, by: diagnosis.state(plan.state))
    var index = 0
    try source.forEachEntry { (entry, _) throws(ConversionError) in
      let record = plan.kept[index].record
      let likeliest = typing.readings(of: record, in: store)[0]
      #expect(entry.key.text == keys[index])
      #expect(entry.value.isSame(as: likeliest.value), "\(keys[index]): \(entry.value)")
      #expect(entry.origin.extent == record.extent)
      index += 1
    }
    #expect(index == keys.count)
    #expect(source.types().map(\.subject) == keys.map { .key(Key(Array($0.utf8))) })
  }

  private static func bytes(_ random: inout SeededGenerator) -> [UInt8] {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: return [UInt8.random(in: 0...1, using: &random)]
    case 1: return [UInt8.random(in: 2..<128, using: &random)]
    case 2: return MMKVFixtureBuilder.little(Double.random(in: 0..<1e10, using: &random).bitPattern)
    case 3:
      let count = UInt8.random(in: 0..<128, using: &random)
      return [count] + (0..<count).map { _ in UInt8.random(in: 0x20..<0x7f, using: &random) }
    default:
      return (0..<Int.random(in: 1..<40, using: &random)).map { _ in
        UInt8.random(in: 0 ... .max, using: &random)
      }
    }
  }
}

/// A counter of calls.
private final class Counter: @unchecked Sendable {
  // The test has only one thread.
  var count = 0
}

/// A format that reports a note for each entry, asks for the entries several times, and writes one
/// byte for each.
private struct Counting: EntryWriter {
  static let name = "counting"
  static let suffix = ""

  let fitted: Counter
  let passCount: Int

  func fit(_ entry: TypedEntry) -> EntryFit {
    fitted.count += 1
    return EntryFit(entry, [.typeChanged(.null, to: .bool(true), in: Self.name)])
  }

  func write(
    _ source: EntrySource, to path: FilePath, into files: inout PendingWrite
  ) throws(ConversionError) {
    var bytes: [UInt8] = []
    for _ in 0..<passCount {
      bytes = []
      try source.forEachEntry { _ in bytes.append(1) }
    }
    do throws(FileError) {
      try files.add(bytes, at: path)
    } catch {
      throw .file(error)
    }
  }
}
