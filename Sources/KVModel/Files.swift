package import KVBytes
package import KVSystem
package import SystemPackage

/// The purpose of a file of a store, as a number that is unique in its format.
///
/// The number takes one byte, so that types that exist for each record stay trivial. A format
/// declares its roles in addition to the two here. It names them with `numbered(as:)` when it lists
/// the files of a store, and reports take the names from that list.
///
/// The formats of kvfsck use numbers below 16, and use different ones if fixtures distinguish the
/// files.
public struct FileRole: Hashable, Sendable {
  /// The role's number.
  ///
  /// Findings about a file with a smaller number are reported first.
  public let number: UInt8

  /// Creates the role with this number.
  @inlinable public init(_ number: UInt8) { self.number = number }

  /// The file with the records.
  @inlinable public static var data: FileRole { FileRole(0) }
  /// A file that holds one large value.
  @inlinable public static var external: FileRole { FileRole(255) }

  /// The role's name if the format has not named it.
  fileprivate var commonName: String {
    switch self {
    case .data: "data"
    case .external: "external"
    default: "file \(number)"
    }
  }
}

/// The identity of one of a store's files: its role, and its position among the files with that
/// role.
///
/// The type is trivial, so that every finding, region and entry can store one. The name and the
/// path are in the ``StoreFile``.
package struct FileIndex: Hashable, Sendable {
  /// The role of the file.
  package let role: FileRole
  /// The number of files with the same role that precede it in the store's files.
  package let ordinal: Int

  /// Creates the index of the file number `ordinal`, from 0 on, among those with this role.
  package init(_ role: FileRole, _ ordinal: Int = 0) {
    self.role = role
    self.ordinal = ordinal
  }
}

/// A half-open range of bytes of one file.
public struct Extent: Hashable, Sendable {
  /// The role of the file.
  public let file: FileRole
  /// The number of files with the same role that precede it; it fits in the padding of the extent.
  @usableFromInline let ordinal: UInt32
  /// The range, in bytes from the start of the file.
  public let range: Range<Int>

  /// Creates the extent of the bytes `range` of `file`, the first file with that role.
  @inlinable public init(_ file: FileRole, _ range: Range<Int>) {
    self.file = file
    ordinal = 0
    self.range = range
  }

  /// Creates the extent of the bytes `range` of `file`.
  package init(_ file: FileIndex, _ range: Range<Int>) {
    self.file = file.role
    ordinal = UInt32(file.ordinal)
    self.range = range
  }

  /// The identity of the file that contains the bytes.
  package var index: FileIndex { FileIndex(file, Int(ordinal)) }

  /// The offset of the first byte, from the start of the file.
  @inlinable public var offset: Int { range.lowerBound }

  /// The number of bytes.
  @inlinable public var count: Int { range.count }

  /// The offset after the last byte.
  @inlinable public var end: Int { range.upperBound }

  /// Returns whether at least one byte of `other` is in this extent.
  package func overlaps(_ other: Extent) -> Bool {
    index == other.index && range.overlaps(other.range)
  }

  /// Returns whether all bytes of `other` are in this extent.
  package func contains(_ other: Extent) -> Bool {
    index == other.index && range.lowerBound <= other.offset && other.end <= range.upperBound
  }
}

/// Bytes of a file, with the name of the file's role.
///
/// A record has only an ``Extent``. An entry that leaves its store, for instance to be converted,
/// has a place.
package struct Place: Hashable, Sendable {
  /// The name of the file's role.
  package let roleName: String
  /// The bytes.
  package let extent: Extent

  /// Creates the place of the bytes at `extent`, in a file with the role name `roleName`.
  fileprivate init(_ roleName: String, _ extent: Extent) {
    self.roleName = roleName
    self.extent = extent
  }
}

/// The names of the roles of a store's files.
package struct RoleNames: Sendable {
  private var names: [FileRole: String] = [:]

  /// Creates the names of the roles that `files` have.
  package init(_ files: [StoreFile] = []) {
    for file in files { names[file.role] = file.roleName }
  }

  /// The name of `role`.
  package subscript(role: FileRole) -> String { names[role] ?? role.commonName }

  /// Returns the place of the bytes at `extent`.
  package func place(_ extent: Extent) -> Place { Place(self[extent.file], extent) }
}

/// Bytes with one meaning, such as a header field, the log, or the slack after it.
package struct Region: Hashable, Sendable {
  /// The category of the bytes.
  package enum Kind: Hashable, Sendable {
    /// A field of a header.
    case field
    /// The initialization vector of a cipher.
    case vector
    /// Bytes of the log before its first record.
    case prefix
    /// The records.
    case log
    /// Bytes after the log.
    case slack
    /// Unused bytes of a header.
    case unused
    /// A whole file that holds one value, or a file that is not read.
    case file
    /// A part of the log, from a more detailed breakdown.
    case part
    /// A part of the log in which no record could be read.
    case gap
  }

  /// The bytes.
  package let extent: Extent
  /// The name of the bytes, such as "actual size".
  package let name: String
  /// The meaning of the bytes, for people; empty if there is nothing to say.
  package let meaning: String
  /// The category of the bytes.
  package let kind: Kind
  /// Whether the meaning is a checksum of records, which confirms a guess at one of their values.
  package let isChecksum: Bool

  /// Creates the region at `extent`.
  package init(
    _ extent: Extent, _ kind: Kind, _ name: String, _ meaning: String = "",
    isChecksum: Bool = false
  ) {
    self.extent = extent
    self.kind = kind
    self.name = name
    self.meaning = meaning
    self.isChecksum = isChecksum
  }
}

/// A file of a store, as it was read.
package struct StoreFile: Hashable, Sendable {
  /// The identity of the file.
  package private(set) var index: FileIndex
  /// The name of the file's role, as reports use it.
  package private(set) var roleName: String
  /// The path that the file was read from.
  package private(set) var path: FilePath
  /// Whether nothing may be said about the bytes: their digest would show whether a guess is right.
  package private(set) var isRedacted = false
  /// The file's bytes; empty if it could not be read.
  package let image: FileImage
  /// The reason why the file could not be read; `nil` if it was read.
  package let obstacle: FileError?
  /// A description of the damage if the bytes come from a damaged archive; `nil` if none is known.
  let flaw: String?
  /// What a copy changed, if the bytes are not those that were found: it was undone.
  package let copyDamage: CopyDamage?

  /// The role of the file.
  package var role: FileRole { index.role }

  /// The extent of all of the file's bytes.
  package var extent: Extent { Extent(index, image.range) }

  /// Creates a file with its bytes.
  package init(_ role: FileRole, at path: FilePath, _ image: FileImage) {
    self.init(role, at: path, image, flaw: nil)
  }

  /// Creates a file with its bytes, their flaw, and the damage that was undone to get them.
  package init(
    _ role: FileRole, at path: FilePath, _ image: FileImage, flaw: String?,
    undoing copyDamage: CopyDamage? = nil
  ) {
    index = FileIndex(role)
    roleName = role.commonName
    self.path = path
    self.image = image
    self.flaw = flaw
    self.copyDamage = copyDamage
    obstacle = nil
  }

  /// Creates a file that belongs to a store but could not be read.
  package init(_ role: FileRole, at path: FilePath, unreadFor obstacle: FileError) {
    index = FileIndex(role)
    roleName = role.commonName
    self.path = path
    self.obstacle = obstacle
    image = FileImage([])
    flaw = nil
    copyDamage = nil
  }

  /// The bytes that were found, also if others are read; see ``copyDamage``.
  package var foundImage: FileImage { copyDamage?.found ?? image }

  /// The same file with the bytes that were found.
  var asFound: StoreFile {
    guard let copyDamage else { return self }
    return StoreFile(role, at: path, copyDamage.found, flaw: flaw)
      .numbered(index.ordinal, as: roleName)
  }

  /// The same file without its bytes, for keeping many stores in memory.
  package var emptied: StoreFile {
    let file =
      obstacle.map { StoreFile(role, at: path, unreadFor: $0) }
      ?? StoreFile(role, at: path, FileImage([]))
    return file.numbered(index.ordinal, as: roleName)
  }

  /// Returns the same file, of whose bytes nothing is said, as if it were at `path`.
  package func redacted(at path: FilePath) -> StoreFile {
    var file = self
    file.path = path
    file.isRedacted = true
    return file
  }

  /// Returns the place of the bytes `range` of the file.
  package func place(_ range: Range<Int>) -> Place { Place(roleName, Extent(index, range)) }

  /// Returns the same file with another role.
  ///
  /// - Precondition: The file was read.
  package func with(_ role: FileRole) -> StoreFile {
    StoreFile(role, at: path, image, flaw: flaw, undoing: copyDamage)
  }

  /// Returns the same file as number `ordinal` among those with its role, which is named
  /// `roleName`.
  fileprivate func numbered(_ ordinal: Int, as roleName: String) -> StoreFile {
    var file = self
    file.index = FileIndex(role, ordinal)
    file.roleName = roleName
    return file
  }
}

extension [StoreFile] {
  /// Returns the files of a store, with the files of each role numbered in order; `names` are the
  /// names of the format's own roles.
  package func numbered(as names: [FileRole: String] = [:]) -> [StoreFile] {
    var counts: [FileRole: Int] = [:]
    return map { file in
      let ordinal = counts[file.role, default: 0]
      counts[file.role] = ordinal + 1
      return file.numbered(ordinal, as: names[file.role] ?? file.roleName)
    }
  }

  /// The names of the roles that the files have.
  package var roleNames: RoleNames { RoleNames(self) }

  /// Returns the path of the file that `finding` is about.
  ///
  /// A finding about the whole store has the path of the first file.
  package func path(of finding: Finding) -> FilePath? {
    finding.path ?? (first { $0.index == finding.file } ?? first)?.path
  }

  /// Returns the files of a store without a log, with the one at `path` first, as the one that is
  /// read; the same files if it is none of them, or was not read.
  package func led(by path: FilePath) -> [StoreFile] {
    guard let place = firstIndex(where: { $0.path == path }), place > 0,
      self[place].obstacle == nil, self[place].role != .external
    else { return self }
    let rest = indices.filter { $0 != place }.map { self[$0] }
    let role = self[place].role
    return [self[place].with(.data)]
      + rest.map { $0.role == .data && $0.obstacle == nil ? $0.with(role) : $0 }
  }

  /// The files that were read.
  package var read: [StoreFile] { filter { $0.obstacle == nil } }

  /// The findings about files that come from damaged parts of an archive.
  package var flawFindings: [Finding] {
    compactMap { file in
      file.flaw.map {
        Finding(
          LogFindings.fileFlawed, in: file,
          "the archive is damaged in this file: \($0); \(file.image.count.counted("byte was", "bytes were")) read"
        )
      }
    }
  }

  /// The findings about files that were not read.
  package var unreadFindings: [Finding] {
    compactMap { file in
      file.obstacle.map {
        Finding(
          LogFindings.fileUnread, in: file,
          "a file of the store was not read, so its contents are missing here: \($0.cause)")
      }
    }
  }
}

/// A file of a new store, with its name and all its bytes.
package struct EncodedFile: Hashable, Sendable {
  /// The role of the file.
  package let role: FileRole
  /// The file's name in the folder of the store, as a path with the original bytes of the name.
  package let path: FilePath
  /// The file's bytes.
  package let bytes: [UInt8]
  /// Whether only the file's owner may read it, whatever the permissions of the files beside it.
  package var isPrivate = false

  /// The file's name in the folder of the store; bytes that are not valid UTF-8 are replaced.
  package var name: String { path.string }

  /// Returns the file's path in `folder`.
  package func path(in folder: FilePath) -> FilePath { folder.appending(path.components) }

  /// Creates a file with these bytes.
  package init(_ role: FileRole, named name: String, _ bytes: [UInt8]) {
    self.init(role, at: FilePath(name), bytes)
  }

  /// Creates a file with these bytes, at a path relative to the folder of the store.
  package init(_ role: FileRole, at path: FilePath, _ bytes: [UInt8]) {
    self.role = role
    self.path = path
    self.bytes = bytes
  }
}

extension PendingWrite {
  /// Adds `encoded` to the files that ``commit()`` will put into `folder`.
  ///
  /// - Throws: The errors of `add(_:at:)`, as `.file`.
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
