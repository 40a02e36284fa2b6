import KVBytes
import KVModel
import KVRecovery
import KVReport
import KVSystem
import SystemPackage

/// An error that ended a repair without a new store.
enum RepairFailure: Error {
  case undecided(recommended: RecoveryDecision)
  case nothingKept(guesses: Int, refused: Int)
  case cancelled
  case sameFolder(FilePath)
  case encoding(EncodingError)
  /// The file has a format without a log that is not written anew.
  case notWritable(path: String, format: String)
  /// An option is about what the format does not have.
  case withoutEffect(String, path: String, format: String)
  /// The app would load other entries than can be recovered, and no choice was given.
  case undecidedTable(recovered: Int, discarded: Int)
  /// A new file would be written in a subfolder, which a backup does not cover.
  case notInPlace(FilePath)
  case conversion(ConversionError)
  case backup(BackupError)
  case file(FileError)

  /// What went wrong and what to do next.
  var message: String {
    switch self {
    case .undecided(let answer):
      "the store is damaged, and there is no terminal to ask on. Choose "
        + "-y, -p, -n, or --on-crc-fail and --on-length-error. Recommended: "
        + (answer == .recover ? "-y" : "--on-crc-fail discard --on-length-error discard")
    case .nothingKept(let unlikely, let refused):
      "neither recover nor discard keeps any entries; nothing was asked or written. "
        + "-y writes an empty store"
        + (refused == 0
          ? ""
          : ", and sets aside \(Plural.count(refused, "entry", "entries")) that the engine cannot hold")
        + (unlikely == 0
          ? ""
          : ", and sets aside \(Plural.count(unlikely, "unlikely entry", "unlikely entries")); "
            + "--include-guesses keeps them")
    case .cancelled: "cancelled; this store was not repaired"
    case .sameFolder(let folder):
      "\(folder.text) is the folder of the store itself; name another one, or use --in-place"
    case .encoding(.noCipher): EncodingError.noCipher.message + ", or use --plain"
    case .encoding(.neverEncrypted): EncodingError.neverEncrypted.message + "; leave out --rekey"
    case .encoding(let error): error.message
    case .notWritable(let path, let format):
      "\(path) has the format \(format), which repair does not write; use convert"
    case .withoutEffect(let option, let path, let format):
      "\(path) has the format \(format), which has no log, so \(option) has no effect; leave it out"
    case .undecidedTable(let recovered, let discarded):
      "choose -y for the newest readable values (\(Plural.count(recovered, "entry", "entries"))), "
        + "--on-crc-fail discard for what the app would load (\(discarded.grouped)), -p, or -n"
    case .notInPlace(let path):
      "\(path.text) would be new, and a backup does not cover subfolders; use --out"
    case .conversion(let error): error.message
    case .backup(.noDigest): BackupError.noDigest.message + ", or use --out"
    case .backup(let error): error.message
    case .file(let error): error.message
    }
  }

  /// The exit status for the failure.
  var status: ExitStatus {
    switch self {
    case .undecided, .undecidedTable, .nothingKept, .withoutEffect: .usage
    case .cancelled: .cancelled
    default: .failed
    }
  }
}
