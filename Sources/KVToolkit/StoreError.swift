import KVModel
import KVRecovery
import KVSystem
import SystemPackage

/// The reason why a store could not be opened or repaired.
///
/// Damage is not an error: it is in ``KeyValueStore/findings``.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible,
  CustomDebugStringConvertible
{
  /// The kinds of errors, for programs.
  public enum Reason: Hashable, Sendable {
    /// There is no store at the path.
    case notFound
    /// The folder holds several stores.
    case severalStores
    /// The files exist, but no format recognizes them.
    case notRecognized
    /// A file cannot be read.
    case cannotRead
    /// No record can be read: the key does not fit, or nothing is left of the log.
    case unreadable
    /// The new files cannot be written, or the old ones cannot be replaced or restored.
    case cannotWrite
    /// The task was cancelled; nothing was written.
    case cancelled
  }

  /// The kind of the error.
  public let reason: Reason
  /// What went wrong, where, and what to do next, for people.
  public let message: String

  /// The message.
  public var description: String { message }
  /// The message.
  public var debugDescription: String { message }

  init(_ reason: Reason, _ message: String) {
    self.reason = reason
    self.message = message
  }

  init(_ error: DiscoveryError) {
    let reason: Reason =
      switch error {
      case .noStore, .noSuchID: .notFound
      case .file(.system(_, _, let errno)) where errno == .noSuchFileOrDirectory: .notFound
      case .file, .sideFile, .keys, .notScanOutput: .cannotRead
      case .severalStores, .severalFiles, .archive: .severalStores
      case .ownOutput, .notRecognized, .nothingKnown, .irreplaceable, .uncertain:
        .notRecognized
      }
    self.init(reason, error.message)
  }

  init(_ error: FileError) {
    self.init(error == .interrupted ? .cancelled : .cannotWrite, error.message)
  }

  init(_ error: BackupError) {
    let isCancelled = error == .file(.interrupted)
    self.init(isCancelled ? .cancelled : .cannotWrite, error.message)
  }
}
