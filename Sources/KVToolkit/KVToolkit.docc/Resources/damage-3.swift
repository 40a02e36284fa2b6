import Foundation
import KVFixtures
import KVModel
import KVToolkit
import Testing

func makeTarget() throws -> DamageTarget {
  let script = try Script(
    parsing: """
      format mmkv
      string token abc
      int32 launches 1
      string draft random:300
      int32 launches 2
      """)
  var simulation = try Simulation(script, seed: 1)
  try simulation.finish()
  return try DamageTarget(simulation)
}

@Test(arguments: DamageOperator.all.map(\.name))
func noWrongValueIsShownAsVerified(operatorName: String) throws {
  let damage = try #require(DamageOperator.named(operatorName))
  // An operator that finds nothing to damage in this store returns nil.
  guard let damaged = try damage.apply(to: makeTarget(), seed: 7) else { return }
  let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  for file in damaged.image.files {
    try Data(file.bytes).write(to: folder.appending(path: file.name))
  }
  let store = try KeyValueStore(at: folder.path)
  for entry in store.entries where entry.evidence >= .corrected {
    let key = hexadecimal(entry.key.bytes)
    let values = [damaged.answer.truth[key]] + (damaged.answer.alsoTrue[key] ?? [])
    #expect(values.contains(hexadecimal(entry.bytes)))
  }
}

/// Returns `bytes` in hexadecimal, as the keys and values in an answer key are.
func hexadecimal(_ bytes: [UInt8]) -> String {
  bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
}
