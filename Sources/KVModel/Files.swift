public import KVBytes
public import KVSystem
public import SystemPackage

/// Which of a store's files a byte is in.
///
/// A role takes one byte, so that what is made for each record stays trivial.
public enum FileRole: UInt8, Hashable, Sendable, CaseIterable {
  /// The file with the records.
  case data
  /// MMKV's `.crc` file.
  case meta
  /// The `.kva` file of Android FastKV.
  case copyA
  /// The `.kvb` file of Android FastKV.
  case copyB
  /// The `.kvc` file of Android FastKV.
  case copyC
  /// A file that holds one large value of Android FastKV.
  case external

  /// The role's name in JSON.
  public var name: String {
    switch self {
    case .data: "data"
    case .meta: "meta"
    case .copyA: "copyA"
    case .copyB: "copyB"
    case .copyC: "copyC"
    case .external: "external"
    }
  }
}

/// A half-open range of bytes of one file.
public struct Extent: Hashable, Sendable {
  /// The file.
  public let file: FileRole
  /// The range, in bytes from the start of the file.
  public let range: Range<Int>

  /// The bytes `range` of `file`.
  @inlinable public init(_ file: FileRole, _ range: Range<Int>) {
    self.file = file
    self.range = range
  }

  /// The offset of the first byte, from the start of the file.
  @inlinable public var offset: Int { range.lowerBound }

  /// How many bytes it has.
  @inlinable public var count: Int { range.count }

  /// The offset behind the last byte.
  @inlinable public var end: Int { range.upperBound }

  /// Whether a byte of `other` is in this extent.
  public func overlaps(_ other: Extent) -> Bool {
    file == other.file && range.overlaps(other.range)
  }

  /// Whether all bytes of `other` are in this extent.
  public func contains(_ other: Extent) -> Bool {
    file == other.file && range.lowerBound <= other.offset && other.end <= range.upperBound
  }
}

/// Bytes that have one meaning: a header field, the log, the slack behind it.
public struct Region: Hashable, Sendable {
  /// The bytes.
  public let extent: Extent
  /// What they are ("actual size").
  public let name: String
  /// What they say, for people; empty where there is nothing to say.
  public let meaning: String

  /// The region at `extent`.
  public init(_ extent: Extent, _ name: String, _ meaning: String = "") {
    self.extent = extent
    self.name = name
    self.meaning = meaning
  }
}

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

/// A file of a new store: its name and all its bytes.
public struct EncodedFile: Hashable, Sendable {
  /// What the file is for.
  public let role: FileRole
  /// Its name in the folder of the store.
  public let name: String
  /// Its bytes.
  public let bytes: [UInt8]

  /// A file of these bytes.
  public init(_ role: FileRole, named name: String, _ bytes: [UInt8]) {
    self.role = role
    self.name = name
    self.bytes = bytes
  }
}

extension PendingWrite {
  /// Writes `encoded` into `folder`, where the files stay until ``commit()``.
  ///
  /// - Throws: As `add(_:at:)`.
  public mutating func add(
    _ encoded: [EncodedFile], in folder: FilePath
  ) throws(ConversionError) {
    for file in encoded {
      do throws(FileError) {
        try add(file.bytes, at: folder.appending(file.name))
      } catch {
        throw .file(error)
      }
    }
  }
}
