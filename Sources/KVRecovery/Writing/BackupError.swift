import KVBytes
package import KVSystem
package import SystemPackage

/// The reason why a store was not replaced, or not restored.
package enum BackupError: Error, Hashable, Sendable {
  /// A file could not be read or written.
  case file(FileError)
  /// The store has no file.
  case nothingToReplace
  /// One of the files is a symbolic link, and the link would be replaced instead of its target.
  case isLink(FilePath)
  /// The name of one of the files is not UTF-8, which the lists of a backup cannot hold.
  case notUTF8(FilePath)
  /// This build has no SHA-256, without which an undo could not detect that the store has changed.
  case noDigest
  /// The folder is not a backup, or a list in it does not have the form that this program writes.
  case notABackup(FilePath)
  /// A copy in the backup differs from what was copied.
  case copyChanged(FilePath)
  /// The store has been written to since it was read.
  case changedSinceRead(FilePath)
  /// The store has been written to after the repair.
  case storeChanged(FilePath)
  /// Some of the store's files may be new and some old, and the old ones could not be restored.
  case halfReplaced(FilePath, FileError)
  /// Only some of the store's files may be restored.
  case halfRestored(FilePath, FileError)
  /// All names for a backup of the store are taken.
  case tooManyBackups(FilePath)

  /// What went wrong and what to do next, in a sentence for people.
  package var message: String {
    switch self {
    case .file(let error): error.message
    case .nothingToReplace: "the store has no file to replace"
    case .isLink(let path):
      "\(path.text) is a symbolic link; name the store that it points to"
    case .notUTF8(let path):
      "the name of \(path.text) is not UTF-8, and the backup could not be undone; write a new store "
        + "into another folder instead"
    case .noDigest:
      "undo needs SHA-256, which this build lacks; build kvfsck with the trait Encryption"
    case .notABackup(let path):
      "\(path.text) is not a backup written by kvfsck, or was changed; name the folder that the repair printed"
    case .copyChanged(let path):
      "\(path.text) has changed since it was copied: its SHA-256 differs from the list. "
        + "Nothing was restored"
    case .changedSinceRead(let path):
      "\(path.text) was written to after it was read; nothing was replaced. Close the app that uses "
        + "it, and repair the store again"
    case .storeChanged(let path):
      "\(path.text) was written to after the repair: its SHA-256 is neither the old nor the new one. "
        + "Nothing was restored; the copies in the backup are unchanged"
    case .halfReplaced(let folder, let error):
      "\(error.message); some of the store's files may be new and some old: "
        + "`kvfsck undo \(folder.text)` restores the old ones"
    case .halfRestored(let folder, let error):
      "\(error.message); some of the store's files may be restored and some not: "
        + "run `kvfsck undo \(folder.text)` again"
    case .tooManyBackups(let folder):
      "\(folder.text) has too many backups of this store; move some away"
    }
  }
}
