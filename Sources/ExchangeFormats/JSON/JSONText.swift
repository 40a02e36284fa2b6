import KVBytes
package import KVModel

/// Text that may be JSON.
package enum JSONText {
  /// Returns `text` as `json` if it is a JSON object or array, and as `string` otherwise.
  package static func value(_ text: String) -> Value {
    // Foundation's decoder also accepts text that is not JSON, such as [1,] and [01].
    let bytes = Array(text.utf8)
    let start = bytes.firstIndex { ![0x20, 0x09, 0x0a, 0x0d].contains($0) } ?? 0
    return JSONSyntax.isContainer(bytes.storageSpan.extracting(start...))
      ? .json(text) : .string(text)
  }
}
