public import KVModel
import KVRecovery
import KVSystem
import SystemPackage

/// A key-value store of an app, as its files are on the disk: what is wrong with it, what it holds, and
/// how to repair it.
///
///     let store = try KeyValueStore(at: "Documents/mmkv/settings")
///     print(store.verdict, store["token"]?.string ?? "no token")
///     if store.verdict != .clean {
///       let repair = try store.repair(into: "repaired")
///       print("kept \(repair.keptCount) entries in \(repair.files)")
///     }
///
/// Opening reads each file once and changes none. A damaged file is no error: what is wrong with it is in
/// ``findings``, and what can be read of it in ``entries``.
public struct KeyValueStore: Sendable {
  let opened: any OpenedStore
  private let indices: [Key: Int]

  /// The entries that the files support best, in file order; one for each key.
  public let entries: [StoredEntry]

  /// Opens the store at `path`: its data file, one of its side files, or a folder that holds one store.
  ///
  /// - Throws: ``StoreError`` when there is no store or more than one, or a file cannot be read; never
  ///   because bytes are damaged.
  /// - Complexity: O(size of the files).
  public init(at path: String, options: OpeningOptions = OpeningOptions()) throws(StoreError) {
    self.init(try StoreFiles(at: path, options).diagnosed())
  }

  init(_ opened: any OpenedStore) {
    self.opened = opened
    entries = opened.entries
    indices = Dictionary(entries.enumerated().map { ($1.key, $0) }) { $1 }
  }

  /// The name of the store's format, such as `mmkv`.
  public var format: String { opened.formatName }

  /// How the store is, in one word.
  public var verdict: Verdict { opened.verdict }

  /// What is remarkable about the files, the worst first.
  public var findings: [Finding] { opened.findings }

  /// The entry of `key`, or `nil` when the files do not support one.
  public subscript(key: String) -> StoredEntry? { self[Key(Array(key.utf8))] }

  /// The entry of `key`, or `nil` when the files do not support one.
  public subscript(key: Key) -> StoredEntry? { indices[key].map { entries[$0] } }

  // MARK: Repairing

  /// Writes a clean, compact store with what can be kept into `folder`; the input is not changed.
  ///
  /// The folder is made if only it is missing. Nothing in it is overwritten, and the files are complete
  /// or absent.
  ///
  /// - Parameters:
  ///   - folder: Where the new files go.
  ///   - decision: The answer to the engine's question about damage, as an app gives it in
  ///     `onMMKVCRCCheckFail`: keep what can be read, or only what a checksum verifies.
  /// - Returns: What was written and what was left out.
  /// - Throws: ``StoreError`` when the records cannot be read or the files cannot be written.
  @discardableResult
  public func repair(
    into folder: String, answering decision: RecoveryDecision = .recover
  ) throws(StoreError) -> StoreRepair {
    try opened.repair(decision, into: .folder(FilePath(folder)))
  }

  /// Puts a clean, compact store in the place of the files, and keeps a backup of them beside it.
  ///
  /// No app may have the store open. ``undoRepair(backup:)`` brings the old files back.
  ///
  /// - Throws: ``StoreError`` when the records cannot be read, or the files cannot be replaced; then the
  ///   store is as it was, unless the error says otherwise.
  @discardableResult
  public func repairInPlace(
    answering decision: RecoveryDecision = .recover
  ) throws(StoreError) -> StoreRepair {
    try opened.repair(decision, into: .place)
  }

  /// Puts the files back that ``repairInPlace(answering:)`` has replaced.
  ///
  /// - Parameter backup: The folder that ``StoreRepair/backup`` names.
  /// - Throws: ``StoreError`` when the store was written to since, or the copies have changed.
  public static func undoRepair(backup: String) throws(StoreError) {
    do throws(BackupError) {
      _ = try Backup(at: FilePath(backup)).restore(writer: StoreWriter())
    } catch {
      throw StoreError(.cannotWrite, error.message)
    }
  }
}
