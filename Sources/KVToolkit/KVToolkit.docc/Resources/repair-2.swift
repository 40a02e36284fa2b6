import KVModel
import KVToolkit

func repairBeforeOpening(_ path: String) throws {
  let store = try KeyValueStore(at: path)
  guard store.verdict != .clean else { return }
  for finding in store.findings { print(finding.code, finding.message) }
}
