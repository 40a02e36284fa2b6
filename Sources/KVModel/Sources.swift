package import KVBytes
package import KVSystem
package import SystemPackage

/// Named bytes from somewhere: a folder of the disk, the members of an archive.
///
/// A format finds the files of a store in a source, and never touches the disk. A source reads each
/// file at most once, however many formats look at it.
package protocol FileSource: AnyObject {
  /// Whether there is anything at `path`, a link that leads nowhere included.
  func isTaken(_ path: FilePath) -> Bool

  /// Whether `path` is a folder.
  func isFolder(_ path: FilePath) -> Bool

  /// The names in `folder`, sorted, without those of unfinished output.
  ///
  /// - Throws: `.system` when it cannot be listed.
  func names(in folder: FilePath) throws(FileError) -> [FilePath.Component]

  /// The folder of `file`, a file of the store that the user has named as `path`.
  func folder(of file: FilePath, named path: FilePath) -> StoreFolder

  /// Whether a link on the way to `path` leads out of `folder`.
  func isOutside(_ path: FilePath, of folder: StoreFolder) -> Bool

  /// The first bytes of the file at `path`, up to `count`.
  ///
  /// - Throws: As ``read(_:limit:)``, but for the size.
  func head(of path: FilePath, count: Int) throws(FileError) -> FileImage

  /// All bytes of the file at `path`, which has no more than `limit`.
  ///
  /// - Throws: As `FileImage.read`.
  func read(_ path: FilePath, limit: Int) throws(FileError) -> FileImage

  /// All bytes of the file at `path`, which was found beside others in `folder` and has no more than
  /// `limit`.
  ///
  /// - Throws: As `FileImage.read`; `.leadsOut` for a link out of the folder.
  func read(_ path: FilePath, in folder: StoreFolder, limit: Int) throws(FileError) -> FileImage

  /// What is wrong with the bytes that ``read(_:limit:)`` has returned for `path`; `nil` where they are
  /// all that the file has.
  func flaw(of path: FilePath) -> String?

  /// Lets go of the bytes of all files but those at `paths`, where that gives room.
  func forget(allBut paths: Set<FilePath>)
}

extension FileSource {
  /// What is read is whole, unless the source says otherwise.
  package func flaw(of path: FilePath) -> String? { nil }

  /// Keeps what it has.
  package func forget(allBut paths: Set<FilePath>) {}

  /// All bytes of the file at `path`.
  ///
  /// - Throws: As `FileImage.read`.
  package func read(_ path: FilePath) throws(FileError) -> FileImage {
    try read(path, limit: FileImage.maximumCount)
  }

  /// The file at `path`.
  ///
  /// - Throws: `.file` when it cannot be read.
  package func file(
    _ role: FileRole = .data, at path: FilePath
  ) throws(DiscoveryError) -> StoreFile {
    do throws(FileError) {
      return StoreFile(role, at: path, try read(path), flaw: flaw(of: path))
    } catch {
      throw .file(error)
    }
  }

  /// The file at `path`, which is beside others in `folder`; why it cannot be read is kept in
  /// ``StoreFile/obstacle``.
  ///
  /// One such file that cannot be read is no reason to read nothing of the others.
  package func file(
    _ role: FileRole, at path: FilePath, in folder: StoreFolder
  ) -> StoreFile {
    do throws(FileError) {
      let image = try read(path, in: folder, limit: FileImage.maximumCount)
      return StoreFile(role, at: path, image, flaw: flaw(of: path))
    } catch {
      return StoreFile(role, at: path, unreadFor: error)
    }
  }

  /// The names in `folder`, sorted.
  ///
  /// - Throws: `.file` when it cannot be listed.
  package func allNames(in folder: FilePath) throws(DiscoveryError) -> [FilePath.Component] {
    do throws(FileError) {
      return try names(in: folder)
    } catch {
      throw .file(error)
    }
  }
}

/// Why no store could be opened at a path.
package enum DiscoveryError: Error, Hashable, Sendable {
  /// A file could not be read.
  case file(FileError)
  /// A side file is there and cannot be read, without which the store at `data` cannot be judged.
  case sideFile(FileError, of: FilePath)
  /// The folder holds nothing that looks like a store.
  case noStore(in: FilePath, format: String)
  /// The folder holds more than one store; these are their names.
  case severalStores(in: FilePath, names: [String])
  /// The file is an archive, which may hold any number of stores.
  case archive(FilePath)
  /// The folder holds no store with a log and more than one file of other formats; these are their
  /// names.
  case severalFiles(in: FilePath, names: [String])
  /// The file is no store, but something that kvfsck wrote, which is named with its article.
  case ownOutput(FilePath, kind: String)
  /// The folder has files, and no format knows one of them; these are some of their names.
  case nothingKnown(in: FilePath, names: [String], count: Int)
  /// The store would be replaced, and it is not certain enough that it is one of this format.
  case uncertain(FilePath, reason: String)
  /// A file with the keys of stores makes no sense.
  case keys(KeyRingError)
  /// No store has one of these ids; these paths were tried.
  case noSuchID([String], tried: [FilePath])

  /// Whether there may be any number of stores, which can be listed.
  package var isAboutSeveralStores: Bool {
    switch self {
    case .severalStores, .archive: true
    default: false
    }
  }

  /// Whether there is a file that cannot be read, so that what another format makes of the rest, or of a
  /// second try, is no explanation.
  package var isObstacle: Bool {
    switch self {
    case .sideFile: true
    case .file(.system(_, _, let errno)): ![.noSuchFileOrDirectory, .notDirectory].contains(errno)
    case .file(.tooLarge), .file(.changedWhileRead), .file(.leadsOut), .file(.member): true
    default: false
    }
  }

  /// What went wrong and what to do next, in a sentence for people.
  package var message: String {
    switch self {
    case .file(let error): error.message
    case .sideFile(let error, let data):
      "\(error.cause), so size and checksum of \(data.text) are not known, and nothing is decided about "
        + "it. Put the right file there; or copy \(data.text) alone to another folder, to read it "
        + "without"
    case .noStore(let folder, let format):
      "\(folder.text) holds no \(format) store: no data file and no side file was found in it"
    case .severalStores(let folder, let names), .severalFiles(let folder, let names):
      "\(folder.text) holds \(names.count) stores; name one of them: "
        + names.prefix(20).joined(separator: ", ") + (names.count > 20 ? ", …" : "")
    case .archive(let path):
      "\(path.text) is an archive or a backup; name a store in it, as \(path.text)!PATH"
    case .ownOutput(let path, let kind):
      "\(path.text) is \(kind), and no store: name the store that it was made from"
    case .nothingKnown(let folder, let names, let count):
      "\(folder.text) holds \(count) files, none of which is known to be a store: "
        + names.joined(separator: ", ") + (count > names.count ? ", …" : "")
        + "; name one of them to have it read all the same"
    case .uncertain(let path, let reason):
      "\(path.text) is not replaced: \(reason). Write the new files into another folder"
    case .keys(let error): error.message
    case .noSuchID(let ids, let tried):
      "there is no store with the id \(ids.map { "\"\($0)\"" }.joined(separator: " or ")); tried "
        + tried.map(\.text).joined(separator: ", ")
    }
  }
}

/// How likely files are a store of a format, and why.
package struct Recognition: Hashable, Sendable {
  /// From 0, surely not, to 100, surely.
  package let likelihood: Int
  /// What speaks for it or against it, for people.
  package let reasons: [String]

  /// A likelihood with its reasons.
  package init(_ likelihood: Int, because reasons: [String]) {
    self.likelihood = likelihood
    self.reasons = reasons
  }
}

/// Recognises files that are something else, so that an error can say what.
package enum ForeignFile {
  private static let signatures: [(bytes: [UInt8], name: String)] = [
    (Array("SQLite format 3".utf8), "an SQLite database"),
    (Array("PK\u{3}\u{4}".utf8), "a ZIP archive"),
    ([0x1f, 0x8b], "a gzip file"),
    (Array("bplist00".utf8), "a binary property list"),
    (Array("<?xml".utf8), "an XML file"),
    (Array("%PDF-".utf8), "a PDF document"),
    ([0x89, 0x50, 0x4e, 0x47], "a PNG image"),
    ([0xff, 0xd8, 0xff], "a JPEG image"),
    ([0x7f, 0x45, 0x4c, 0x46], "an ELF program"),
    (Array("FastKV".utf8), "a FastKV file of iOS"),
  ]

  /// How many bytes tell what ``isMedia(_:)`` tells.
  package static let headCount = 16
  /// The beginnings of pictures, sound, films, fonts, archives and programs, and where they stand.
  private static let mediaSignatures: [(offset: Int, bytes: [UInt8])] = [
    (0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a]), (0, [0xff, 0xd8, 0xff]), (0, Array("GIF8".utf8)),
    (8, Array("WEBP".utf8)), (8, Array("WAVE".utf8)), (4, Array("ftyp".utf8)),
    (0, Array("OggS".utf8)), (0, Array("ID3".utf8)), (0, Array("fLaC".utf8)),
    (0, [0x1a, 0x45, 0xdf, 0xa3]), (0, Array("%PDF-".utf8)), (0, Array("PK\u{3}\u{4}".utf8)),
    (0, [0x1f, 0x8b, 8]), (0, [0x7f, 0x45, 0x4c, 0x46]), (0, Array("dex\n".utf8)),
    (0, [0xfe, 0xed, 0xfa]), (0, [0xcf, 0xfa, 0xed, 0xfe]), (0, [0xca, 0xfe, 0xba, 0xbe]),
    (0, Array("OTTO".utf8)), (0, Array("wOF".utf8)), (0, [0, 1, 0, 0, 0]),
  ]

  private static let ownSignatures: [(bytes: [UInt8], name: String)] = [
    (Array("key,key_hex,type,value,".utf8), "a CSV file that kvfsck wrote"),
    (Array("key\tkey_hex\ttype\tvalue\t".utf8), "a TSV file that kvfsck wrote"),
  ]
  /// What the first line of a report has: its type, and a name that only such a line has beside it.
  private static let reportLines: [(type: [UInt8], name: [UInt8])] = [
    ("store", "schema"), ("finding", "severity"), ("comparison", "retyped"),
    ("difference", "key_hex"),
    ("conversion", "losses"), ("calibration", "omitted"), ("crashes", "cause"),
  ].map { (Array("\"type\":\"\($0)\"".utf8), Array("\"\($1)\":".utf8)) }
  /// What a file of types begins with.
  private static let typesStart = Array("\"kvfsck\": \"types\"".utf8)

  /// What `image` is, with its article, if kvfsck wrote it and does not read it again; `nil` for all
  /// else.
  ///
  /// Such are the tables of `convert`, JSON reports, and what a repair has set aside.
  /// A text that leads to no record by accident alone would be read as a damaged store otherwise.
  package static func ownOutput(_ image: FileImage, named name: String) -> String? {
    let start = image.bytes(in: 0..<min(1 << 16, image.count))
    if let own = ownSignatures.first(where: { start.starts(with: $0.bytes) }) { return own.name }
    let line = start.prefix { $0 != UInt8(ascii: "\n") }
    guard line.first == UInt8(ascii: "{") else { return nil }
    if start.prefix(64).firstRange(of: typesStart) != nil {
      return "a file of types, as a conversion takes and writes them"
    }
    let isReport = reportLines.contains { known in
      line.firstRange(of: known.type) != nil && line.firstRange(of: known.name) != nil
    }
    guard isReport else { return nil }
    return name.contains(".lost-and-found")
      ? "a lost-and-found file, which has what a repair of kvfsck has set aside"
      : "a JSON report of kvfsck"
  }

  /// Whether a file that begins with `head` is a picture, sound, a film, a font, an archive or a program,
  /// which need not be read to tell that it is no store.
  package static func isMedia(_ head: FileImage) -> Bool {
    mediaSignatures.contains { offset, bytes in
      head.count >= offset + bytes.count
        && head.bytes(in: offset..<offset + bytes.count) == bytes
    }
  }

  /// What `image` seems to be, with its article; `nil` where that cannot be told.
  package static func name(of image: FileImage) -> String? {
    if image.count == 0 { return "an empty file" }
    if image.isZero(in: image.range) { return "zeros only" }
    let start = image.bytes(in: 0..<min(16, image.count))
    if let known = signatures.first(where: { start.starts(with: $0.bytes) }) { return known.name }
    let sample = image.bytes(in: 0..<min(4096, image.count))
    let isText = sample.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 9 || $0 == 10 || $0 == 13 }
    return isText ? "a text file" : nil
  }
}
