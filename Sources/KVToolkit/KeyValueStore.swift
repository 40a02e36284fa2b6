public import KVModel
import KVRecovery
import KVSystem
import SystemPackage

/// A store of a key-value library (MMKV or FastKV) on the disk, with its damage and its entries.
///
///     let store = try KeyValueStore(at: "Documents/mmkv/settings")
///     print(store.verdict, store["token"]?.string ?? "no token")
///     if store.verdict != .clean {
///       let repair = try store.repair(into: "repaired")
///       print("kept \(repair.keptCount) entries in \(repair.files)")
///     }
///
/// Opening a store reads each file once and changes none. Damage is not an error: ``findings``
/// lists it, and ``entries`` has what could be read.
public struct KeyValueStore: Sendable {
  let opened: any OpenedStore
  private let indices: [Key: Int]

  /// The entries of the store, one for each key, in file order.
  ///
  /// In a damaged store, these are all entries that could be recovered. An entry may be a guess, so
  /// look at ``StoredEntry/evidence`` and ``StoredEntry/cautions`` before you rely on it.
  public let entries: [StoredEntry]

  /// Opens the store at `path`: its data file, one of its side files, or a folder with one store.
  ///
  /// - Throws: ``StoreError`` if there is no store or more than one, if its format is not
  ///   recognized, or if a file cannot be read. Damage is not an error as long as the format can be
  ///   recognized.
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

  /// Whether the store is damaged, and whether entries are lost.
  public var verdict: Verdict { opened.verdict }

  /// The findings about the files, the worst first; empty if there is nothing to report.
  public var findings: [Finding] { opened.findings }

  /// The entry with `key`; `nil` if there is none.
  public subscript(key: String) -> StoredEntry? { self[Key(Array(key.utf8))] }

  /// The entry with `key`; `nil` if there is none.
  public subscript(key: Key) -> StoredEntry? { indices[key].map { entries[$0] } }

  /// Returns the index in ``entries`` of the entry with `key`; `nil` if there is none.
  package func index(of key: Key) -> Int? { indices[key] }

  // MARK: Repairing

  /// Writes a clean, compact store with the entries that can be kept into `folder`, and does not
  /// change the original files.
  ///
  /// Entries that are only a ``KVModel/Evidence/guess``, or that the engine cannot hold, are left
  /// out. Nothing in the folder is overwritten, and the new files are complete or absent.
  ///
  /// - Parameters:
  ///   - folder: The folder for the new files. It is created if its parent exists.
  ///   - decision: What to keep of a damaged store: all that can be read, or only what a checksum
  ///     verifies. An app gives the same answer in MMKV's `onMMKVCRCCheckFail`.
  /// - Returns: What was written and what was left out.
  /// - Throws: ``StoreError`` if no record can be read or the files cannot be written.
  @discardableResult
  public func repair(
    into folder: String, answering decision: RecoveryDecision = .recover
  ) throws(StoreError) -> StoreRepair {
    try opened.repair(decision, into: .folder(FilePath(folder)))
  }

  /// Replaces the files with a clean, compact store, and keeps a backup of them next to it.
  ///
  /// Call this before the app's library opens the store. ``undoRepair(backup:)`` restores the old
  /// files.
  ///
  /// - Parameter decision: What to keep of a damaged store, as in ``repair(into:answering:)``.
  ///
  /// - Returns: What was written and what was left out.
  ///
  /// - Throws: ``StoreError`` if no record can be read or the files cannot be replaced; the store
  ///   is then as it was, unless the message says otherwise.
  @discardableResult
  public func repairInPlace(
    answering decision: RecoveryDecision = .recover
  ) throws(StoreError) -> StoreRepair {
    try opened.repair(decision, into: .place)
  }

  /// Restores the files that ``repairInPlace(answering:)`` has replaced.
  ///
  /// - Parameter backup: The folder that ``StoreRepair/backup`` names.
  ///
  /// - Throws: ``StoreError`` if the store has been written to since, or the backup has changed.
  public static func undoRepair(backup: String) throws(StoreError) {
    do throws(BackupError) {
      _ = try Backup(at: FilePath(backup)).restore(writer: StoreWriter())
    } catch {
      throw StoreError(.cannotWrite, error.message)
    }
  }
}
