import KVToolkit

func repairBeforeOpening(_ path: String) throws {
  let store = try KeyValueStore(at: path)
  print(store.verdict, store.entries.count)
}
