import KVBytes
public import SystemPackage

/// An error in reading or writing a file.
public enum FileError: Error, Hashable, Sendable {
  /// A system call failed; `operation` is a verb, such as "open" or "rename".
  case system(operation: String, path: FilePath, errno: Errno)
  /// The path names something other than a regular file; `kind` is a phrase, such as "a named
  /// pipe".
  case notRegular(path: FilePath, kind: String)
  /// A symbolic link at or above the path leads out of the store's folder.
  case leadsOut(path: FilePath, target: FilePath)
  /// The file has more than `limit` bytes.
  case tooLarge(path: FilePath, count: Int64, limit: Int)
  /// The file has more bytes than the process has memory for; `needed` and `available` are in
  /// bytes.
  case tooLargeForMemory(path: FilePath, count: Int64, needed: Int, available: Int)
  /// A member of an archive could not be read.
  case member(path: FilePath, reason: String)
  /// The file is empty, though it should not be.
  case empty(path: FilePath)
  /// The file was modified while it was being read.
  case changedWhileRead(path: FilePath, before: Int64, after: Int64)
  /// The output already exists, and nothing is overwritten.
  case exists(path: FilePath)
  /// No temporary file can be made in `folder`, for the reason of the system call that failed.
  case temporary(folder: FilePath, errno: Errno)
  /// The output has a name that kvfsck gives to unfinished files.
  case reservedName(path: FilePath)
  /// The user canceled before the output was complete.
  case interrupted

  /// The cause and what to do next, in a sentence for people.
  package var message: String {
    switch self {
    case .system(let operation, _, let errno):
      cause + FileError.advice(for: errno, operation)
    case .notRegular:
      cause + "; name a regular file"
    case .leadsOut(let path, let target):
      cause
        + "; it is not followed. Name \(target.text) itself, or replace the link with a copy: "
        + path.text
    case .tooLarge(_, _, FileImage.maximumCount):
      cause + "; the formats address at most \(FileImage.maximumCount.grouped). "
        + "Extract the part you need first (dd skip=… count=…)"
    case .tooLarge(_, _, let limit):
      cause
        + "; at most \(limit.grouped) are read here. Check that it is the right file, or give a "
        + "higher limit if there is an option for it"
    case .tooLargeForMemory:
      cause + ". Raise the limit (ulimit -v), or use a machine with more memory"
    case .changedWhileRead:
      cause + "; stop the app that writes it, or copy it first, and try again"
    case .exists(let path):
      "\(path.text) already exists and is not overwritten; name another path, or move it away"
    case .temporary: cause + "; set TMPDIR to a folder with room for temporary files"
    case .reservedName: cause + "; choose another name"
    case .member, .empty, .interrupted: cause
    }
  }

  /// The cause, without what to do next.
  package var cause: String {
    switch self {
    case .system(let operation, let path, let errno):
      "cannot \(operation) \(path.text): \(errno.description.lowercased())"
    case .notRegular(let path, let kind):
      "\(path.text) is \(kind)"
    case .leadsOut(let path, let target):
      "\(path.text) is a symbolic link to \(target.text), outside the store's folder"
    case .tooLarge(let path, let count, _):
      "\(path.text) has \(count.inBytes)"
    case .tooLargeForMemory(let path, let count, let needed, let available):
      "\(path.text) has \(count.inBytes); processing it takes \(needed.inBytes) of memory, but this process "
        + "can use only \(available.grouped)"
    case .member(let path, let reason):
      "cannot read \(path.text): \(reason)"
    case .empty(let path):
      "\(path.text) is empty"
    case .changedWhileRead(let path, let before, let after):
      "\(path.text) changed while it was read (\(before.inBytes) before, \(after.grouped) after)"
    case .exists(let path):
      "\(path.text) already exists"
    case .temporary(let folder, let errno):
      "cannot make a temporary file in \(folder.text): \(errno.description.lowercased())"
    case .reservedName(let path):
      "\(path.text) has a name that kvfsck gives to unfinished files, and removes"
    case .interrupted:
      "cancelled; nothing was written"
    }
  }

  private static func advice(for errno: Errno, _ operation: String) -> String {
    let isReading = ["read", "examine", "list"].contains(operation)
    return switch errno {
    case .permissionDenied:
      isReading
        ? "; check the permissions, or copy it to a place where you can read it"
        : "; check the permissions, or name another output folder"
    case .noSuchFileOrDirectory: "; check the path"
    case .noSpace: "; free some space or name an output folder on another disk"
    case .readOnlyFileSystem: "; name an output folder elsewhere"
    default: ""
    }
  }
}
