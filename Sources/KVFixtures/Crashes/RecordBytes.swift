import KVBytes
import KVModel
import KVRecovery

/// The bytes of the records that held each value of each key, to determine whether a crash left
/// them.
struct RecordBytes {
  private var known: [Key: [[UInt8]: [UInt8]]] = [:]

  /// Adds the live records of a healthy store.
  ///
  /// - Returns: The entries of the store.
  mutating func note<S: Store>(_ store: S, now: UInt32) -> [Key: [UInt8]] {
    guard let best = Diagnosis(of: store, now: now).best else { return [:] }
    var entries: [Key: [UInt8]] = [:]
    for record in best.snapshot.live {
      let image = RecordBytes.image(of: store, record.file)
      let (key, value) = (store.key(of: record), store.value(of: record))
      known[key, default: [:]][value] =
        image.bytes(in: record.offset..<record.offset + record.count)
      entries[key] = value
    }
    return entries
  }

  /// Returns whether a record that held `value` is complete anywhere in the files of `store`.
  func isThere<S: Store>(_ key: Key, _ value: [UInt8], in store: S) -> Bool {
    guard let bytes = known[key]?[value] else { return false }
    return store.files.contains { file in
      [RecordBytes.image(of: store, file.role), file.image].contains {
        $0.firstOccurrence(of: bytes, in: $0.range) != nil
      }
    }
  }

  /// Returns the bytes to search: decrypted, if the offsets are the same with and without the
  /// cipher.
  private static func image<S: Store>(of store: S, _ file: FileRole) -> FileImage {
    file == .data ? store.decoded(file) : store.stored(file)
  }
}
