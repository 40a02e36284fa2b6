import KVModel
import KVToolkit

func repairBeforeOpening(_ path: String) throws {
  let store = try KeyValueStore(at: path)
  guard store.verdict != .clean else { return }
  for finding in store.findings { print(finding.code, finding.message) }
  let repair = try store.repairInPlace(answering: .recover)
  print("kept \(repair.keptCount), left out \(repair.leftOut.count)")
}
