public import KVBytes
public import KVSystem
public import SystemPackage

/// What a file of a store is for: a number among those of its format.
///
/// It takes one byte, so that what is made for each record stays trivial. A format declares the roles
/// that it has beside the two here, and names them where it lists a store's files, with
/// `numbered(as:)`. Reports have the name from that list.
///
/// Formats that come with kvfsck have the numbers below 16, which differ where fixtures tell them apart.
public struct FileRole: Hashable, Sendable {
  /// The role's number.
  ///
  /// What is about a file with a smaller one is reported first.
  public let number: UInt8

  /// The role with this number.
  @inlinable public init(_ number: UInt8) { self.number = number }

  /// The file with the records.
  @inlinable public static var data: FileRole { FileRole(0) }
  /// A file that holds one large value.
  @inlinable public static var external: FileRole { FileRole(255) }

  /// The role's name where no format has named it.
  fileprivate var commonName: String {
    switch self {
    case .data: "data"
    case .external: "external"
    default: "file \(number)"
    }
  }
}

/// Which of a store's files something is about: its role, and which of the files with that role.
///
/// It is trivial, so that a finding, a region and an entry can each have one; the name and the path are
/// those of the ``StoreFile``.
public struct FileIndex: Hashable, Sendable {
  /// What the file is for.
  public let role: FileRole
  /// How many files with the same role come before it in the store's files.
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
  /// How many files with the same role come before it; takes no room of its own.
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

  /// Which of the store's files it is.
  public var index: FileIndex { FileIndex(file, Int(ordinal)) }

  /// The offset of the first byte, from the start of the file.
  @inlinable public var offset: Int { range.lowerBound }

  /// How many bytes it has.
  @inlinable public var count: Int { range.count }

  /// The offset after the last byte.
  @inlinable public var end: Int { range.upperBound }

  /// Whether a byte of `other` is in this extent.
  public func overlaps(_ other: Extent) -> Bool {
    index == other.index && range.overlaps(other.range)
  }

  /// Whether all bytes of `other` are in this extent.
  public func contains(_ other: Extent) -> Bool {
    index == other.index && range.lowerBound <= other.offset && other.end <= range.upperBound
  }
}

/// Bytes of a file, with what the store that they are of calls the file.
///
/// An ``Extent`` is all that is kept for each record. An entry that leaves its store, as it does to be
/// converted, has a place.
package struct Place: Hashable, Sendable {
  /// The name of the file's role.
  package let roleName: String
  /// The bytes.
  package let extent: Extent

  /// The bytes `range` of a file whose role is called `roleName` in a store that is not at hand.
  package init(ofOtherStore roleName: String, _ range: Range<Int>) {
    self.init(roleName, Extent(roleName == FileRole.data.commonName ? .data : .external, range))
  }

  /// The bytes at `extent` of a file with the role called `roleName`.
  fileprivate init(_ roleName: String, _ extent: Extent) {
    self.roleName = roleName
    self.extent = extent
  }
}

/// What the roles of a store's files are called.
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
    /// Bytes of a header that say nothing.
    case unused
    /// A whole file with one value, or one that is not read.
    case file
    /// A part of the log, taken apart.
    case part
    /// A part of the log in which no record could be read.
    case gap
  }

  /// The bytes.
  public let extent: Extent
  /// What they are ("actual size").
  public let name: String
  /// What they say, for people; empty where there is nothing to say.
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
  /// The name of its role, which reports have.
  public private(set) var roleName: String
  /// Where it was read from.
  public let path: FilePath
  /// Its bytes; none where it could not be read.
  public let image: FileImage
  /// Why it could not be read; `nil` where it was.
  public let obstacle: FileError?
  /// What is wrong with the bytes, which came out of an archive that is damaged; `nil` where nothing is
  /// known to be.
  package let flaw: String?

  /// What the file is for.
  public var role: FileRole { index.role }

  /// All of its bytes.
  public var extent: Extent { Extent(index, image.range) }

  /// A file with its bytes.
  public init(_ role: FileRole, at path: FilePath, _ image: FileImage) {
    self.init(role, at: path, image, flaw: nil)
  }

  /// A file with its bytes, and what is wrong with them.
  package init(_ role: FileRole, at path: FilePath, _ image: FileImage, flaw: String?) {
    index = FileIndex(role)
    roleName = role.commonName
    self.path = path
    self.image = image
    self.flaw = flaw
    obstacle = nil
  }

  /// A file that is part of a store and could not be read.
  public init(_ role: FileRole, at path: FilePath, unreadFor obstacle: FileError) {
    index = FileIndex(role)
    roleName = role.commonName
    self.path = path
    self.obstacle = obstacle
    image = FileImage([])
    flaw = nil
  }

  /// The same file without its bytes, for what is kept of many stores.
  public var emptied: StoreFile {
    let file =
      obstacle.map { StoreFile(role, at: path, unreadFor: $0) }
      ?? StoreFile(role, at: path, FileImage([]))
    return file.numbered(index.ordinal, as: roleName)
  }

  /// The bytes `range` of the file.
  package func place(_ range: Range<Int>) -> Place { Place(roleName, Extent(index, range)) }

  /// The same file, which has been read, as one that is for something else.
  package func with(_ role: FileRole) -> StoreFile {
    StoreFile(role, at: path, image, flaw: flaw)
  }

  /// The same file, as number `ordinal` of those with its role, which is called `roleName`.
  fileprivate func numbered(_ ordinal: Int, as roleName: String) -> StoreFile {
    var file = self
    file.index = FileIndex(role, ordinal)
    file.roleName = roleName
    return file
  }
}

extension [StoreFile] {
  /// The files of a store, those with the same role numbered in order; `names` are those of the roles
  /// that are the format's own.
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

  /// The path of the file that `finding` is about; of one about the store, that of the first file.
  public func path(of finding: Finding) -> FilePath? {
    finding.path ?? (first { $0.index == finding.file } ?? first)?.path
  }

  /// Those that were read.
  public var read: [StoreFile] { filter { $0.obstacle == nil } }

  /// What is to be said of those that an archive has not whole.
  package var flawFindings: [Finding] {
    compactMap { file in
      file.flaw.map {
        Finding(
          LogFindings.fileFlawed, in: file,
          "the archive is damaged where it has this file: \($0); \(file.image.count.grouped) bytes were read"
        )
      }
    }
  }

  /// What is to be said of those that were not.
  public var unreadFindings: [Finding] {
    compactMap { file in
      file.obstacle.map {
        Finding(
          LogFindings.fileUnread, in: file,
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
  package mutating func add(
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
