import KVToolkit

let store = try KeyValueStore(at: "Fixtures/mmkv/damaged/flip_keylen_fwb")
print(store.verdict, store.entries.count)  // damage is no error
print(store["locale_27211"]?.string ?? "no locale")
if store.verdict != .clean {
  let repair = try store.repair(into: "repaired", answering: .recover)
  print("kept \(repair.keptCount) entries in \(repair.files)")
}
