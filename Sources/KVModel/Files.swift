public import KVBytes
public import KVSystem
public import SystemPackage

/// The purpose of a file of a store: a number among those of its format.
///
/// It takes one byte, so that what is made for each record stays trivial. A format declares its
/// roles in addition to the two here, and names them with `numbered(as:)` where it lists a store's
/// files. Reports take the name from that list.
///
/// Formats that come with kvfsck have the numbers below 16, which differ if fixtures distinguish
/// them.
public struct FileRole: Hashable, Sendable {
  /// The role's number.
  ///
  /// Findings about a file with a smaller number are reported first.
  public let number: UInt8

  /// The role with this number.
  @inlinable public init(_ number: UInt8) { self.number = number }

  /// The file with the records.
  @inlinable public static var data: FileRole { FileRole(0) }
  /// A file that holds one large value.
  @inlinable public static var external: FileRole { FileRole(255) }

  /// The role's name, if no format has named it.
  fileprivate var commonName: String {
    switch self {
    case .data: "data"
    case .external: "external"
    default: "file \(number)"
    }
  }
}

/// Identifies one of a store's files: by its role, and by its position among the files with that
/// role.
///
/// The type is trivial, so that a finding, a region and an entry can each have one. Name and path
/// are in the ``StoreFile``.
public struct FileIndex: Hashable, Sendable {
  /// What the file is for.
  public let role: FileRole
  /// The number of files with the same role that precede it in the store's files.
  public let ordinal: Int

  /// The file number `ordinal` of those with the role `role`.
  public init(_ role: FileRole, _ ordinal: Int = 0) {
    self.role = role
    self.ordinal = ordinal
  }
}

/// A half-open range of bytes of one file.
public struct Extent: Hashable, Sendable {
  /// What the file is for.
  public let file: FileRole
  /// The number of files with the same role that precede it; takes no extra space.
  @usableFromInline let ordinal: UInt32
  /// The range, in bytes from the start of the file.
  public let range: Range<Int>

  /// The bytes `range` of `file`, the first one with that role.
  @inlinable public init(_ file: FileRole, _ range: Range<Int>) {
    self.file = file
    ordinal = 0
    self.range = range
  }

  /// The bytes `range` of `file`.
  public init(_ file: FileIndex, _ range: Range<Int>) {
    self.file = file.role
    ordinal = UInt32(file.ordinal)
    self.range = range
  }

  /// The store's file that the bytes are in.
  public var index: FileIndex { FileIndex(file, Int(ordinal)) }

  /// The offset of the first byte, from the start of the file.
  @inlinable public var offset: Int { range.lowerBound }

  /// The number of bytes.
  @inlinable public var count: Int { range.count }

  /// The offset after the last byte.
  @inlinable public var end: Int { range.upperBound }

  /// Returns whether a byte of `other` is in this extent.
  public func overlaps(_ other: Extent) -> Bool {
    index == other.index && range.overlaps(other.range)
  }

  /// Returns whether all bytes of `other` are in this extent.
  public func contains(_ other: Extent) -> Bool {
    index == other.index && range.lowerBound <= other.offset && other.end <= range.upperBound
  }
}

/// Bytes of a file, with the name that their store has for the file.
///
/// For each record, only an ``Extent`` is kept. An entry that leaves its store, for instance to be
/// converted, has a place.
package struct Place: Hashable, Sendable {
  /// The name of the file's role.
  package let roleName: String
  /// The bytes.
  package let extent: Extent

  /// Creates the place of the bytes `range` of a file whose role is called `roleName` in a store
  /// that is not available.
  package init(ofOtherStore roleName: String, _ range: Range<Int>) {
    self.init(roleName, Extent(roleName == FileRole.data.commonName ? .data : .external, range))
  }

  /// The bytes at `extent` of a file with the role called `roleName`.
  fileprivate init(_ roleName: String, _ extent: Extent) {
    self.roleName = roleName
    self.extent = extent
  }
}

/// The names of the roles of a store's files.
package struct RoleNames: Sendable {
  private var names: [FileRole: String] = [:]

  /// The names of the roles that `files` have.
  package init(_ files: [StoreFile] = []) {
    for file in files { names[file.role] = file.roleName }
  }

  /// The name of `role`.
  package subscript(role: FileRole) -> String { names[role] ?? role.commonName }

  /// The bytes at `extent`, with the name of their file.
  package func place(_ extent: Extent) -> Place { Place(self[extent.file], extent) }
}

/// Bytes that have one meaning: a header field, the log, the slack after it.
public struct Region: Hashable, Sendable {
  /// What sort of bytes they are.
  public enum Kind: Hashable, Sendable {
    /// A field of a header.
    case field
    /// The vector of a cipher.
    case vector
    /// Bytes of the log before its first record.
    case prefix
    /// The records.
    case log
    /// Bytes after the log.
    case slack
    /// Unused bytes of a header.
    case unused
    /// A whole file with one value, or a file that is not read.
    case file
    /// A part of the log, broken down further.
    case part
    /// A part of the log in which no record could be read.
    case gap
  }

  /// The bytes.
  public let extent: Extent
  /// What they are ("actual size").
  public let name: String
  /// The meaning of the bytes, for people; empty if there is nothing to say.
  public let meaning: String
  /// What sort of bytes they are.
  public let kind: Kind

  /// The region at `extent`.
  public init(_ extent: Extent, _ kind: Kind, _ name: String, _ meaning: String = "") {
    self.extent = extent
    self.kind = kind
    self.name = name
    self.meaning = meaning
  }
}

/// One file of a store, as it was read.
public struct StoreFile: Hashable, Sendable {
  /// Which of the store's files it is.
  public private(set) var index: FileIndex
  /// The name of its role, as in reports.
  public private(set) var roleName: String
  /// Where it was read from.
  public let path: FilePath
  /// Its bytes; none if it could not be read.
  public let image: FileImage
  /// The reason why it could not be read; `nil` if it was read.
  public let obstacle: FileError?
  /// The flaw of the bytes, if they come from a damaged archive; `nil` if none is known.
  package let flaw: String?

  /// What the file is for.
  public var role: FileRole { index.role }

  /// All of its bytes.
  public var extent: Extent { Extent(index, image.range) }

  /// A file with its bytes.
  public init(_ role: FileRole, at path: FilePath, _ image: FileImage) {
    self.init(role, at: path, image, flaw: nil)
  }

  /// Creates a file with its bytes, and their flaw.
  package init(_ role: FileRole, at path: FilePath, _ image: FileImage, flaw: String?) {
    index = FileIndex(role)
    roleName = role.commonName
    self.path = path
    self.image = image
    self.flaw = flaw
    obstacle = nil
  }

  /// Creates a file that belongs to a store but could not be read.
  public init(_ role: FileRole, at path: FilePath, unreadFor obstacle: FileError) {
    index = FileIndex(role)
    roleName = role.commonName
    self.path = path
    self.obstacle = obstacle
    image = FileImage([])
    flaw = nil
  }

  /// The same file without its bytes, to be kept for each of many stores.
  public var emptied: StoreFile {
    let file =
      obstacle.map { StoreFile(role, at: path, unreadFor: $0) }
      ?? StoreFile(role, at: path, FileImage([]))
    return file.numbered(index.ordinal, as: roleName)
  }

  /// The bytes `range` of the file.
  package func place(_ range: Range<Int>) -> Place { Place(roleName, Extent(index, range)) }

  /// Returns the same file, which has been read, with another role.
  package func with(_ role: FileRole) -> StoreFile {
    StoreFile(role, at: path, image, flaw: flaw)
  }

  /// Returns the same file as number `ordinal` of those with its role, which is called `roleName`.
  fileprivate func numbered(_ ordinal: Int, as roleName: String) -> StoreFile {
    var file = self
    file.index = FileIndex(role, ordinal)
    file.roleName = roleName
    return file
  }
}

extension [StoreFile] {
  /// Returns the files of a store, with those of the same role numbered in order; `names` are the
  /// names of the format's own roles.
  public func numbered(as names: [FileRole: String] = [:]) -> [StoreFile] {
    var counts: [FileRole: Int] = [:]
    return map { file in
      let ordinal = counts[file.role, default: 0]
      counts[file.role] = ordinal + 1
      return file.numbered(ordinal, as: names[file.role] ?? file.roleName)
    }
  }

  /// The names of the roles that the files have.
  package var roleNames: RoleNames { RoleNames(self) }

  /// Returns the path of the file that `finding` is about; for a finding about the whole store,
  /// that of the first file.
  public func path(of finding: Finding) -> FilePath? {
    finding.path ?? (first { $0.index == finding.file } ?? first)?.path
  }

  /// The files that were read.
  public var read: [StoreFile] { filter { $0.obstacle == nil } }

  /// The findings about files that an archive contains only in part.
  package var flawFindings: [Finding] {
    compactMap { file in
      file.flaw.map {
        Finding(
          LogFindings.fileFlawed, in: file,
          "the archive is damaged in this file: \($0); \(file.image.count.grouped) bytes were read"
        )
      }
    }
  }

  /// The findings about files that were not read.
  public var unreadFindings: [Finding] {
    compactMap { file in
      file.obstacle.map {
        Finding(
          LogFindings.fileUnread, in: file,
          "a file of the store was not read, so its contents are missing here: \($0.cause)")
      }
    }
  }
}

/// A file of a new store: its name and all its bytes.
public struct EncodedFile: Hashable, Sendable {
  /// What the file is for.
  public let role: FileRole
  /// Its name in the folder of the store, as a path of one component with its original bytes.
  package let path: FilePath
  /// Its bytes.
  public let bytes: [UInt8]

  /// Its name in the folder of the store; bytes that are not UTF-8 are replaced.
  public var name: String { path.string }

  /// Returns the file's path in `folder`.
  package func path(in folder: FilePath) -> FilePath { folder.appending(path.components) }

  /// A file of these bytes.
  public init(_ role: FileRole, named name: String, _ bytes: [UInt8]) {
    self.init(role, at: FilePath(name), bytes)
  }

  /// A file of these bytes, at a path relative to the folder of the store.
  package init(_ role: FileRole, at path: FilePath, _ bytes: [UInt8]) {
    self.role = role
    self.path = path
    self.bytes = bytes
  }
}

extension PendingWrite {
  /// Writes `encoded` into `folder`, where the files stay until ``commit()``.
  ///
  /// - Throws: As `add(_:at:)`.
  package mutating func add(
    _ encoded: [EncodedFile], in folder: FilePath
  ) throws(ConversionError) {
    for file in encoded {
      do throws(FileError) {
        try add(file.bytes, at: file.path(in: folder))
      } catch {
        throw .file(error)
      }
    }
  }
}
