import KVCryptography
import KVFixtures
import KVModel
import KVTestSupport
import Testing

@Suite("After a crash")
struct CrashTests {
  /// The settings of a store that a random script carries through growth, rewriting and removal.
  struct Subject: CustomStringConvertible, Sendable {
    let name: String
    var settings = StoreSettings()
    var hasExpiry = false

    var description: String { name }

    init(_ name: String, _ format: SimulatedFormat, key: String? = nil) {
      self.name = name
      settings.format = format
      if format == .fastkvApple { settings.capacity = 8192 }
      settings.key = key.map { StoreKey(Array($0.utf8)) }
    }

    /// Returns the script that `seed` determines.
    func script(operations: Int, seed: UInt64) -> Script {
      var random = RandomScript(settings, operations: operations)
      random.hasExpiry = hasExpiry
      return random.script(seed: seed)
    }
  }

  static let expiring: Subject = {
    var subject = Subject("mmkv with expiry", .mmkv)
    subject.hasExpiry = true
    return subject
  }()

  static let subjects: [Subject] = {
    var blocking = Subject("fastkv-android, blocking", .fastkvAndroid)
    blocking.settings.mode = .sync
    let plain = [
      Subject("mmkv", .mmkv), expiring, Subject("fastkv-apple", .fastkvApple),
      Subject("fastkv-android", .fastkvAndroid), blocking,
    ]
    return Cryptography.isAvailable
      ? plain + [
        Subject("mmkv encrypted", .mmkv, key: "secret"),
        Subject("fastkv-android encrypted", .fastkvAndroid, key: "1234567890abcdef"),
      ] : plain
  }()

  /// Returns the number of kill states among which one may show an entry that was never stored, or
  /// lack an entry.
  ///
  /// MMKV moves records over each other. If two records overlap, the mixed bytes may decode. With
  /// encryption, or with expiry times after the values, this cannot always be detected. The first
  /// `.tmp` of FastKV for Android is the only file of its store, and torn.
  private func rarity(_ subject: Subject) -> Int {
    switch subject.settings.format {
    case .fastkvApple: .max
    case .mmkv where subject.settings.key == nil && !subject.hasExpiry: .max
    default: 200
    }
  }

  /// Returns the problems in the last operation of a script, and the number of states examined.
  private func problems(
    _ subject: Subject, seed: UInt64, operations: Int, powerLosses: Int
  ) throws -> (states: Int, problems: [String]) {
    var script = subject.script(operations: 200, seed: seed)
    script.statements.removeSubrange(operations...)
    var limits = CrashRun.Limits(powerLosses: powerLosses)
    limits.firstOperation = operations
    let report = try CrashRun(script, seed: seed, limits: limits).report()
    return (
      report.kills.states + report.powerLosses.states,
      report.problems.map { "\($0.kind) \($0.key.text ?? ""), \($0.state.cause.text)" }
    )
  }

  @Test(
    "records that lie half over each other are told apart",
    arguments: [(4, 60), (10, 38)] as [(UInt64, Int)])
  func overlaps(seed: UInt64, operations: Int) throws {
    let found = try problems(
      Subject("mmkv", .mmkv), seed: seed, operations: operations, powerLosses: 0)
    #expect(found.states > 20)
    // A record that is more likely whole than not is kept, and once in a while it is not.
    #expect(found.problems.count <= 1, "\(found.problems)")
  }

  /// Tests states in which one page was not stored since the last rewrite.
  ///
  /// That page has the records from which the rewrite copied, or fragments of earlier logs.
  @Test(
    "what is left of an older log in a page is not taken for newer",
    arguments: ([
      (Subject("mmkv", .mmkv), 1, 80), (Subject("mmkv", .mmkv), 2, 89), (expiring, 5, 113),
      (Subject("mmkv encrypted", .mmkv, key: "0123456789abcdef"), 8, 171),
      (Subject("mmkv encrypted", .mmkv, key: "0123456789abcdef"), 8, 173),
    ] as [(Subject, UInt64, Int)]).filter { $0.0.settings.key == nil || Cryptography.isAvailable })
  func olderPages(_ subject: Subject, seed: UInt64, operations: Int) throws {
    let found = try problems(subject, seed: seed, operations: operations, powerLosses: 16)
    #expect(found.states > 3)
    #expect(found.problems.isEmpty)
  }

  @Test(
    "next to nothing is invented or missed, and the engine keeps less",
    arguments: TestExtent.share(3, of: subjects),
    TestExtent.share(1, of: [1, 2] as [UInt64]))
  func nothingIsInvented(_ subject: Subject, seed: UInt64) throws {
    let script = subject.script(operations: 40, seed: seed)
    let report = try CrashRun(script, seed: seed, limits: .init(powerLosses: 3)).report()
    let text = Self.text(of: report)
    let rarity = rarity(subject)
    for tally in [report.kills, report.powerLosses] {
      let (invented, stale, states) = (tally.invented, tally.staleAsSound, tally.states)
      // Torn records that are more likely right than wrong are kept: of 249 that were set aside
      // before, in 2,952 states, 238 were right and 11 mixed.
      #expect(invented <= max(states / rarity, tally.kept / 100), "seed \(seed): \(text)")
      #expect(stale == 0, "seed \(seed): \(text)")
      // A key whose newest record is torn is set aside as a guess, and the engine may have an older
      // value of it. Nothing makes up for that since what follows a verified log is no default.
      let kept = tally.kept + tally.setAside + (subject.hasExpiry ? 1 : 0)
      for engine in tally.engine { #expect(kept >= engine.kept, "seed \(seed)") }
    }
    let (states, missed) = (report.kills.states, report.kills.missed)
    #expect(states > 100)
    #expect(missed <= states / rarity, "seed \(seed): \(text)")
  }

  /// Returns the first problems of a report.
  private static func text(of report: CrashRun.Report) -> [String] {
    report.problems.prefix(5).map { problem in
      "\(problem.line): \(problem.kind) \(problem.key.text ?? "") \(problem.state.cause.text)"
    }
  }

  /// In 450 such seeds, no stale value was presented as sound.
  ///
  /// Records overlap in some states, as ``rarity(_:)`` explains. A mixed one that is more likely right
  /// than wrong is kept: of a seed's 2,400 to 6,400 kept entries, at most 20 were mixed. After power
  /// losses, that happened in 2 of 420 runs, once in each.
  @Test(
    "no value that is older is shown as sound, by whatever seed",
    arguments: TestExtent.share(3, of: subjects),
    RandomSeeds.fresh(TestExtent.count(1, of: 4)))
  func newSeeds(_ subject: Subject, seed: UInt64) throws {
    let script = subject.script(operations: 40, seed: seed)
    let report = try CrashRun(script, seed: seed, limits: .init(powerLosses: 3)).report()
    let (kills, losses) = (report.kills, report.powerLosses)
    print(
      "\(subject), seed \(seed): of \(kills.states) states of a killed process, \(kills.invented) with an entry that "
        + "was never stored, \(kills.missed) without one that is there; of \(losses.kept) entries kept after a "
        + "power loss, \(losses.invented) were never stored")
    #expect(kills.staleAsSound == 0 && losses.staleAsSound == 0, "seed \(seed)")
    #expect(kills.invented <= max(16, kills.kept / 50), "seed \(seed)")
    #expect(losses.invented <= max(2, losses.kept / 200), "seed \(seed): \(Self.text(of: report))")
    #expect(kills.missed <= kills.states / 10, "seed \(seed)")
  }

  /// Tests that an overwritten entry is counted as changed, and not also as lost.
  ///
  /// A single entry is overwritten in place. The engine then reads a mix of the old and the new
  /// value.
  @Test("an entry that the engine shows with another value is counted as that, and not as lost")
  func anEntryIsCountedOnce() throws {
    let script = Script(StoreSettings()) {
      for turn in 1...30 {
        let rest = String(repeating: "x", count: turn * 7 % 60)
        ScriptOperation.set(Key([0x6b]), .string("value\(turn)\(rest)"))
      }
    }
    var limits = CrashRun.Limits(powerLosses: 0)
    // From the second operation on, the key exists in every state.
    limits.firstOperation = 2
    let kills = try CrashRun(script, seed: 1, limits: limits).report().kills
    #expect(kills.states > 100)
    for engine in kills.engine {
      let counted = engine.kept + engine.lost + engine.stale + engine.invented
      #expect(counted == kills.states)
    }
    #expect(kills.engine.contains { $0.stale + $0.invented > 0 })
  }
}
