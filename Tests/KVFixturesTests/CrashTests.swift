import KVCryptography
import KVFixtures
import KVModel
import Testing

@Suite("After a crash")
struct CrashTests {
  /// A store, and the seed of a script that carries it through growth, rewriting and removal.
  struct Subject: CustomStringConvertible, Sendable {
    let name: String
    var settings = StoreSettings()
    var hasExpiry = false

    var description: String { name }

    init(_ name: String, _ format: StoreSettings.Format, key: String? = nil) {
      self.name = name
      settings.format = format
      if format == .fastkvApple { settings.capacity = 8192 }
      settings.key = key.map { StoreKey(Array($0.utf8)) }
    }

    /// The script of this seed.
    func script(operations: Int, seed: UInt64) -> Script {
      var random = RandomScript(settings, operations: operations)
      random.hasExpiry = hasExpiry
      return random.script(seed: seed)
    }
  }

  static let subjects: [Subject] = {
    var expiring = Subject("mmkv with expiry", .mmkv)
    expiring.hasExpiry = true
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

  /// Of how many states of a kill one may show an entry that was never stored, or miss one.
  ///
  /// MMKV moves records over each other. Where two lie half over each other, what is there can decode;
  /// under a cipher, or with times of expiry behind the values, it cannot always be told. And the first
  /// `.tmp` of FastKV for Android is all that there is of its store, half written.
  private func rarity(_ subject: Subject) -> Int {
    switch subject.settings.format {
    case .fastkvApple: .max
    case .mmkv where subject.settings.key == nil && !subject.hasExpiry: .max
    case .mmkv, .fastkvAndroid: 200
    }
  }

  /// Scripts in which records come to lie over each other, up to the operation that does it.
  @Test(
    "records that lie half over each other are told apart",
    arguments: [(4, 60), (10, 38)] as [(UInt64, Int)])
  func overlaps(seed: UInt64, operations: Int) throws {
    var script = Subject("mmkv", .mmkv).script(operations: 200, seed: seed)
    script.statements.removeSubrange(operations...)
    let report = try CrashRun(script, seed: 0, limits: .init(powerLosses: 0)).report()
    let problems = report.problems.filter { $0.line == operations }
    #expect(report.kills.states > 100)
    #expect(problems.isEmpty, "\(problems.map { "\($0.kind) \($0.state.cause.text)" })")
  }

  @Test(
    "next to nothing is invented or missed, and the engine keeps less", arguments: subjects)
  func nothingIsInvented(_ subject: Subject) throws {
    let seed: UInt64 = 2
    let script = subject.script(operations: 30, seed: seed)
    let report = try CrashRun(script, seed: seed, limits: .init(powerLosses: 3)).report()
    let text: [String] = report.problems.prefix(5).map { problem in
      "\(problem.line): \(problem.kind) \(problem.key.text ?? "") \(problem.state.cause.text)"
    }
    let rarity = rarity(subject)
    for tally in [report.kills, report.powerLosses] {
      let (invented, stale, states) = (tally.invented, tally.staleAsSound, tally.states)
      #expect(invented <= states / rarity, "seed \(seed): \(text)")
      #expect(stale == 0, "seed \(seed): \(text)")
      let kept = tally.kept + tally.setAside
      for engine in tally.engine { #expect(kept >= engine.kept, "seed \(seed)") }
    }
    let (states, missed) = (report.kills.states, report.kills.missed)
    #expect(states > 100)
    if subject.settings.key == nil {
      #expect(missed <= states / rarity, "seed \(seed): \(text)")
    }
  }
}
