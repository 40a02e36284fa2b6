import KVModel
import KVToolkit

/// Returns the token in the store at `path`; `nil` if there is none, or it is not reliable.
func token(in path: String) throws -> String? {
  let store = try KeyValueStore(at: path)
  guard let entry = store["token"], entry.evidence >= .structure, entry.cautions.isEmpty else {
    return nil
  }
  return entry.string
}

/// Prints each key of the store at `path` with the likeliest type of its value.
func listTypes(of path: String) throws {
  for entry in try KeyValueStore(at: path).entries {
    print(entry.key.text ?? "\(entry.key.bytes)", entry.value.kind, entry.bytes.count)
  }
}
