public import SystemPackage

/// Why a file could not be read or written.
public enum FileError: Error, Hashable, Sendable {
  /// A call of the operating system failed; `operation` is a verb ("open", "rename").
  case system(operation: String, path: FilePath, errno: Errno)
  /// The path names something that holds no bytes of its own ("a named pipe").
  case notRegular(path: FilePath, kind: String)
  /// The file has more bytes than the formats can address.
  case tooLarge(path: FilePath, count: Int64, limit: Int)
  /// The file should hold something, and is empty.
  case empty(path: FilePath)
  /// The file was written to while it was being read.
  case changedWhileRead(path: FilePath, before: Int64, after: Int64)
  /// The output is there already, and nothing is overwritten.
  case exists(path: FilePath)
  /// The user asked to stop before the output was complete.
  case interrupted

  /// What went wrong and what to do next, in a sentence for people.
  public var message: String {
    switch self {
    case .system(let operation, let path, let errno):
      "cannot \(operation) \(path): \(errno.description.lowercased())"
        + FileError.advice(for: errno, operation)
    case .notRegular(let path, let kind):
      "\(path) is \(kind); name a regular file, or a folder that holds one store"
    case .tooLarge(let path, let count, let limit):
      "\(path) has \(count) bytes; the formats address at most \(limit). "
        + "Cut the part that you need out of it first (dd skip=… count=…)"
    case .empty(let path):
      "\(path) is empty"
    case .changedWhileRead(let path, let before, let after):
      "\(path) changed while it was read (\(before) bytes before, \(after) after); "
        + "stop the app that writes it, or copy it first, and try again"
    case .exists(let path):
      "\(path) is there already and nothing is overwritten; name another folder or move it away"
    case .interrupted:
      "cancelled; nothing was written"
    }
  }

  private static func advice(for errno: Errno, _ operation: String) -> String {
    let isReading = ["read", "examine", "list"].contains(operation)
    return switch errno {
    case .permissionDenied:
      isReading
        ? "; check the permissions, or copy it to where you may read it"
        : "; check the permissions, or name an output folder elsewhere"
    case .noSuchFileOrDirectory: "; check the path"
    case .noSpace: "; free some space or name an output folder on another disk"
    case .readOnlyFileSystem: "; name an output folder elsewhere"
    default: ""
    }
  }
}
