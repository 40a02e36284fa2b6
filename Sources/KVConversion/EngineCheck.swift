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
  private let files: [EncodedFile]

  /// Creates a check of `files`, which hold `entries`.
  init(_ files: [EncodedFile], of entries: [TypedEntry]) {
    self.files = files
    self.entries = entries
  }

  /// Returns the entries that the engine of `format` would lack, or would have with another value
  /// or expiry time.
  func lost(in format: some StoreEncoder) -> [TypedEntry] {
    let store = format.open(
      files.map { StoreFile($0.role, at: $0.path, FileImage($0.bytes)) })
    var records: [Key: Record] = [:]
    records.reserveCapacity(entries.count)
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
