public import KVBytes
public import SystemPackage

/// One file of a store, as it was read.
public struct StoreFile: Hashable, Sendable {
  /// What the file is for.
  public let role: FileRole
  /// Where it was read from.
  public let path: FilePath
  /// Its bytes.
  public let image: FileImage

  /// A file with its bytes.
  public init(_ role: FileRole, at path: FilePath, _ image: FileImage) {
    self.role = role
    self.path = path
    self.image = image
  }
}
