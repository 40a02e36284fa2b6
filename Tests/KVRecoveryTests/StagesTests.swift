import KVInput
import KVModel
import KVRecovery
import KVSystem
import KVTestSupport
import MMKVFormat
import SystemPackage
import Testing

/// The stages of a check and a repair within the package, as an example to read.
struct StagesTests {
  @Test func aStoreIsOpenedDiagnosedPlannedAndWritten() throws {
    let folder = try TemporaryFolder()
    let path = FilePath(#filePath).removingLastComponent().removingLastComponent()
      .removingLastComponent().appending("Fixtures/mmkv/damaged/flip_keylen_fwb/kv")
    let format = MMKVFormat(now: 1_760_000_000)
    // Damage is no error; that there is no store is one, or that a file cannot be read.
    let found = try format.discover(at: path)
    let store = format.open(found).corrected()
    let diagnosis = Diagnosis(of: store, now: format.now)
    #expect(diagnosis.verdict == .repairable)
    #expect(
      diagnosis.states.map { "\($0.name) \($0.snapshot.live.count)" }
        == ["current 29", "confirmed 30"])
    #expect(
      diagnosis.predictions.map { "\($0.answer) \($0.load.outcome) \($0.keyCount)" }
        == ["discard discarded 0", "recover recovered 29"])
    let plan = try #require(RepairPlanner(strategy: .recover).plan(store, given: diagnosis))
    let files = try format.encode(plan.contents(of: store), like: store)
    let paths = try StoreWriter().write(files, into: folder.path.appending("repaired"))
    #expect(paths.map { $0.lastComponent?.string } == ["kv", "kv.crc"])
  }
}
