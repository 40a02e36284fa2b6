import KVCryptography
import KVFixtures
import KVModel
import Testing

@Suite("After a crash")
struct CrashTests {
  /// A store, and the seed of a script that carries it through growth, rewriting and removal.
  struct Subject: CustomStringConvertible, Sendable {
    let name: String
    let settings: StoreSettings
    var hasExpiry = false

    var description: String { name }

    /// The script of this seed.
    func script(operations: Int, seed: UInt64) -> Script {
      var random = RandomScript(settings, operations: operations)
      random.hasExpiry = hasExpiry
      return random.script(seed: seed)
    }
  }

  static let subjects: [Subject] = {
    var encrypted = StoreSettings()
    encrypted.key = StoreKey(Array("secret".utf8))
    let plain = [
      Subject(name: "mmkv", settings: StoreSettings()),
      Subject(name: "mmkv with expiry", settings: StoreSettings(), hasExpiry: true),
    ]
    return Cryptography.isAvailable
      ? plain + [Subject(name: "mmkv encrypted", settings: encrypted)] : plain
  }()

  @Test("nothing is invented, and what is there is read", arguments: subjects, [1, 2] as [UInt64])
  func nothingIsLostOrInvented(_ subject: Subject, seed: UInt64) throws {
    let script = subject.script(operations: 60, seed: seed)
    let report = try CrashRun(script, seed: seed, limits: .init(powerLosses: 4)).report()
    let text = report.problems.prefix(5).map { problem in
      "\(problem.line): \(problem.kind) \(problem.key.text ?? "") \(problem.state.cause.text)"
    }
    let count = report.problems.count
    #expect(count == 0, "seed \(seed): \(text)")
    // The run looked at something, and the engine's own way loses entries.
    let states = report.kills.states
    #expect(states > 200)
    let (kept, byEngine) = (report.kills.kept, report.kills.engine[0].kept)
    #expect(kept > byEngine)
  }
}
