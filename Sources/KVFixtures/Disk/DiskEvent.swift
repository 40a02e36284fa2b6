public import KVModel

/// A change that an engine made to its files.
public enum DiskEvent: Hashable, Sendable {
  /// An empty file was created.
  case create(FileRole, name: String)
  /// Bytes were stored in a file, as one copy to mapped memory or one call of `write`.
  ///
  /// If `isWord` is `true`, the bytes are an aligned machine word, which is stored completely or
  /// not at all.
  case store(name: String, offset: Int, bytes: [UInt8], isWord: Bool)
  /// Bytes were written at the end of a file, by one call of `write`.
  case append(name: String, bytes: [UInt8])
  /// A file was resized.
  ///
  /// New bytes are zero.
  case resize(name: String, count: Int)
  /// The engine waited until the file was on disk.
  case sync(name: String)
  /// A file replaced another one.
  case rename(name: String, to: String, FileRole)
  /// A file was deleted.
  case remove(name: String)
}
