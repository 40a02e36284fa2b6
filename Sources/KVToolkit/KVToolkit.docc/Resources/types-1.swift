import KVToolkit

func token(in path: String) throws -> String? {
  let store = try KeyValueStore(at: path)
  return store["token"]?.string
}
