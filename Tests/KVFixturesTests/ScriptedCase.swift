import KVBytes
import KVCryptography
import KVFixtures
import KVModel
import KVSystem
import KVTestSupport
import MMKVFormat
import SystemPackage

/// A store that the real engine wrote, and the script that it carried out.
struct ScriptedCase: CustomStringConvertible, Sendable {
  let healthy: CorpusCase
  let script: Script
  let data: [UInt8]
  let meta: [UInt8]

  var description: String { healthy.description }
  /// Whether a key is used anywhere in the script.
  private var hasKey: Bool {
    script.settings.key != nil
      || script.statements.contains { if case .rekey = $0.operation { true } else { false } }
  }
  /// Whether the engine's bytes are known except for random choices.
  ///
  /// They are known without a key, unless the script is incomplete: one script does not state a
  /// lifetime, and the slack contains a deadline.
  var isPlain: Bool { !hasKey && !description.hasSuffix("expire_disabled_again") }

  static var all: [ScriptedCase] {
    get throws {
      try CorpusCase.mmkv.compactMap { known in
        let folder = known.path.removingLastComponent()
        let script = folder.removingLastComponent().removingLastComponent()
          .removingLastComponent().appending("scripts").appending("mmkv")
          .appending("\(folder.lastComponent?.string ?? "").txt")
        guard Folder.isTaken(script) else { return nil }
        let text = String(decoding: try FileImage.read(script).bytes, as: UTF8.self)
        let parsed = try Script(parsing: text)
        let files = try known.open().files
        let scripted = ScriptedCase(
          healthy: known, script: parsed,
          data: files.first { $0.role == .data }?.image.bytes ?? [],
          meta: files.first { $0.role == .meta }?.image.bytes ?? [])
        return !scripted.hasKey || Cryptography.isAvailable ? scripted : nil
      }
    }
  }

  /// Returns the simulation at its end, with the prefix and the initialization vector that the
  /// engine drew last.
  func simulate() throws -> Simulation {
    var cursor = ByteCursor(data.storageSpan, in: 4..<8)
    // In an encrypted store, the four bytes are not a number, and a prefix of another length would
    // move everything else.
    let prefix =
      healthy.key == nil ? UInt32(truncatingIfNeeded: try cursor.readVarint()) : nil
    var simulation = try Simulation(
      script,
      randomness: EngineRandomness(
        fixedPrefix: prefix, fixedVector: script.settings.key == nil ? nil : Array(meta[12..<28])))
    try simulation.finish()
    return simulation
  }
}
