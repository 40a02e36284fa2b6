import KVToolkit

func token(in path: String) throws -> String? {
  let store = try KeyValueStore(at: path)
  guard let entry = store["token"], entry.evidence >= .structure, entry.cautions.isEmpty else {
    return nil
  }
  return entry.string
}
