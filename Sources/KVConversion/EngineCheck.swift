import KVBytes
import KVModel
import KVRecovery
import KVSystem
import SystemPackage

/// A check that an app's engine returns the entries that are written for it.
///
/// The check runs the model of the engine's loading over the files in memory.
struct EngineCheck {
  private let entries: [TypedEntry]

  /// Creates a check of `entries`, as the format holds them.
  init(_ entries: [TypedEntry]) { self.entries = entries }

  /// Returns the entries that the engine of `format` would lack, or would have with another value
  /// or expiry time.
  ///
  /// - Throws: If there are too many entries for the format.
  func lost(in format: some StoreEncoder) throws(EncodingError) -> [TypedEntry] {
    let files = try format.files(named: "kv", entries).map { file in
      StoreFile(file.role, at: file.path, FileImage(file.bytes))
    }
    let store = format.open(files)
    var records: [Key: Record] = [:]
    for record in store.engineMap(answering: EngineAnswers(always: .discard)) {
      records[store.key(of: record)] = record
    }
    return entries.filter { entry in
      guard let record = records[entry.key] else { return true }
      return store.value(of: record, as: entry.value.kind)?.isSame(as: entry.value) != true
        || store.expiry(of: record) ?? 0 != entry.expiry
    }
  }
}
