public import KVModel

/// A change that an engine made to its files.
public enum DiskEvent: Hashable, Sendable {
  /// A new file without bytes.
  case create(FileRole, name: String)
  /// Bytes were stored into a file, as one copy within mapped memory or one call of `write`.
  ///
  /// What is a machine word, and aligned, is there whole or not at all: `isWord`.
  case store(name: String, offset: Int, bytes: [UInt8], isWord: Bool)
  /// A file got another length; what is new is zero.
  case resize(name: String, count: Int)
  /// The engine waited until the file was on the disk.
  case sync(name: String)
  /// A file took the place of another one.
  case rename(name: String, to: String, FileRole)
  /// A file was deleted.
  case remove(name: String)
}
