public import KVBytes
public import SystemPackage

/// One file of a store, as it was read.
public struct StoreFile: Hashable, Sendable {
  /// What the file is for.
  public let role: FileRole
  /// Where it was read from.
  public let path: FilePath
  /// Its bytes; none where it could not be read.
  public let image: FileImage
  /// Why it could not be read; `nil` where it was.
  public let obstacle: FileError?

  /// A file with its bytes.
  public init(_ role: FileRole, at path: FilePath, _ image: FileImage) {
    self.role = role
    self.path = path
    self.image = image
    obstacle = nil
  }

  /// A file that is part of a store and could not be read.
  public init(_ role: FileRole, at path: FilePath, unreadFor obstacle: FileError) {
    self.role = role
    self.path = path
    self.obstacle = obstacle
    image = FileImage([])
  }
}

extension [StoreFile] {
  /// Those that were read.
  public var read: [StoreFile] { filter { $0.obstacle == nil } }

  /// What is to be said of those that were not.
  public var unreadFindings: [Finding] {
    compactMap { file in
      file.obstacle.map {
        Finding(
          "store.file-unread", .damage, at: nil,
          "a file of the store is not read, and what it holds is missing here: \($0.cause)")
      }
    }
  }
}
