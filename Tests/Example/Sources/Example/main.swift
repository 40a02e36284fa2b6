import KVModel
import KVToolkit

/// Repairs the store at `path`, if it is damaged, before the app's engine opens it.
///
/// - Returns: The folder with the damaged files, for a crash report; `nil` if nothing was replaced.
/// - Throws: `StoreError` when there is no store, or it cannot be read or replaced.
func repairBeforeOpening(_ path: String) throws -> String? {
  let store = try KeyValueStore(at: path)
  guard store.verdict != .clean else { return nil }
  for finding in store.findings { print(finding.code, finding.message) }
  let repair = try store.repairInPlace(answering: .recover)
  print("kept \(repair.keptCount), left out \(repair.leftOut.count)")
  return repair.backup
}

print(try repairBeforeOpening("settings/kv") ?? "nothing to repair")
