package import KVBytes
package import KVSystem
package import SystemPackage

/// A source of named bytes: a folder on the disk, or the members of an archive.
///
/// A format finds the files of a store in a source and never accesses the disk itself. A source
/// reads each file at most once, even if several formats look at it.
package protocol FileSource: AnyObject {
  /// Returns whether anything exists at `path`, including a link that leads nowhere.
  func isTaken(_ path: FilePath) -> Bool

  /// Returns whether `path` is a folder.
  func isFolder(_ path: FilePath) -> Bool

  /// Returns the names in `folder`, sorted, without the names of unfinished output.
  ///
  /// - Throws: `.system` when the folder cannot be listed.
  func names(in folder: FilePath) throws(FileError) -> [FilePath.Component]

  /// Returns where the file at `path` is.
  func location(of path: FilePath) -> FileLocation

  /// Returns the folder of `file`, a file of the store that the user has named as `path`.
  func folder(of file: FilePath, named path: FilePath) -> StoreFolder

  /// Returns whether a link on the way to `path` leads out of `folder`.
  func isOutside(_ path: FilePath, of folder: StoreFolder) -> Bool

  /// Returns the first bytes of the file at `path`, up to `count`.
  ///
  /// - Throws: The errors of ``read(_:limit:)``, except those about the size.
  func head(of path: FilePath, count: Int) throws(FileError) -> FileImage

  /// Returns all bytes of the file at `path`, which has at most `limit`.
  ///
  /// - Throws: The errors of `FileImage.read`.
  func read(_ path: FilePath, limit: Int) throws(FileError) -> FileImage

  /// Returns all bytes of the file at `path`, which was found next to others in `folder` and has at
  /// most `limit`.
  ///
  /// - Throws: The errors of `FileImage.read`; `.leadsOut` for a link out of the folder.
  func read(_ path: FilePath, in folder: StoreFolder, limit: Int) throws(FileError) -> FileImage

  /// Returns a description of what is wrong with the bytes that ``read(_:limit:)`` has returned for
  /// `path`; `nil` if they are complete.
  func flaw(of path: FilePath) -> String?

  /// Returns what a copy changed in the file at `path`, if ``read(_:limit:)`` undoes it.
  func copyDamage(of path: FilePath) -> CopyDamage?

  /// Releases the bytes of all files except those at `paths`, if that frees memory.
  func forget(allBut paths: Set<FilePath>)
}

extension FileSource {
  /// Returns `nil`, because what was read is complete in most sources.
  package func flaw(of path: FilePath) -> String? { nil }

  /// Returns `nil`, because most sources return the bytes as they are.
  package func copyDamage(of path: FilePath) -> CopyDamage? { nil }

  /// Releases nothing.
  package func forget(allBut paths: Set<FilePath>) {}

  /// Returns all bytes of the file at `path`.
  ///
  /// - Throws: The errors of `FileImage.read`.
  package func read(_ path: FilePath) throws(FileError) -> FileImage {
    try read(path, limit: FileImage.maximumCount)
  }

  /// Returns the file at `path`, which was read as `image`.
  package func file(_ role: FileRole, at path: FilePath, readAs image: FileImage) -> StoreFile {
    StoreFile(role, at: path, image, flaw: flaw(of: path), undoing: copyDamage(of: path))
  }

  /// Returns the file at `path`.
  ///
  /// - Throws: `.file` when it cannot be read.
  package func file(
    _ role: FileRole = .data, at path: FilePath
  ) throws(DiscoveryError) -> StoreFile {
    do throws(FileError) {
      return file(role, at: path, readAs: try read(path))
    } catch {
      throw .file(error)
    }
  }

  /// Returns the file at `path`, which is next to others in `folder`.
  ///
  /// If it cannot be read, the reason is in ``StoreFile/obstacle``.
  ///
  /// A file that cannot be read must not prevent the others from being read.
  package func file(
    _ role: FileRole, at path: FilePath, in folder: StoreFolder
  ) -> StoreFile {
    do throws(FileError) {
      let image = try read(path, in: folder, limit: FileImage.maximumCount)
      return file(role, at: path, readAs: image)
    } catch {
      return StoreFile(role, at: path, unreadFor: error)
    }
  }

  /// Returns the names in `folder`, sorted.
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

/// The reason why no store could be opened at a path.
package enum DiscoveryError: Error, Hashable, Sendable {
  /// A file could not be read.
  case file(FileError)
  /// A side file exists but cannot be read, and the store at `data` cannot be examined without it.
  case sideFile(FileError, of: FilePath)
  /// The folder contains nothing that looks like a store, or one of the format, if it is given.
  case noStore(in: FilePath, format: String?)
  /// The folder contains more than one store; these are their names.
  case severalStores(in: FilePath, names: [String])
  /// The file is an archive, which may hold any number of stores.
  case archive(FilePath)
  /// The folder contains no store with a log, and more than one file of other formats; these are
  /// their names.
  case severalFiles(in: FilePath, names: [String])
  /// The file is not a store but was written by kvfsck; its kind is given with its article.
  case ownOutput(FilePath, kind: String)
  /// The file is not the output of a scan that could be resumed.
  case notScanOutput(FilePath)
  /// The file is not recognized as part of a store.
  ///
  /// `seems` is what the file appears to be, with its article. `isDatabase` is whether it is a
  /// database, from which a table can be read.
  case notRecognized(FilePath, seems: String?, isDatabase: Bool)
  /// The folder contains files, but no format recognizes any of them; these are some of their
  /// names.
  case nothingKnown(in: FilePath, names: [String], count: Int)
  /// The files cannot be replaced by new ones with the same names.
  case irreplaceable(FilePath, reason: String)
  /// The files would be replaced, but it is not certain enough that they are a store of this
  /// format.
  case uncertain(FilePath, reason: String)
  /// A file with the keys of stores is malformed.
  case keys(KeyRingError)
  /// No store has any of these ids; these paths were tried.
  case noSuchID([String], tried: [FilePath])

  /// Whether the path may contain any number of stores, which can be listed.
  package var isAboutSeveralStores: Bool {
    switch self {
    case .severalStores, .archive: true
    default: false
    }
  }

  /// Whether nothing at the path is a store, so that stores may be in folders below it.
  package var isAboutNoStore: Bool {
    switch self {
    case .noStore, .nothingKnown, .notRecognized, .severalFiles, .ownOutput: true
    default: false
    }
  }

  /// Whether a file cannot be read, so that neither another format nor a second attempt would
  /// explain more.
  package var isObstacle: Bool {
    switch self {
    case .sideFile: true
    case .file(.system(_, _, let errno)): ![.noSuchFileOrDirectory, .notDirectory].contains(errno)
    case .file(.tooLarge), .file(.changedWhileRead), .file(.leadsOut), .file(.member): true
    default: false
    }
  }

  /// Whether something is only probably a store, and so is not replaced.
  package var isUncertain: Bool {
    if case .uncertain = self { true } else { false }
  }

  /// The data file of the store that cannot be examined or replaced, if it is known.
  package var dataFile: FilePath? {
    switch self {
    case .sideFile(_, let path), .uncertain(let path, _): path
    default: nil
    }
  }

  /// Returns whether something else than `path` does not exist or is no file, such as what a link in
  /// that folder leads to.
  package func isAbout(otherThan path: FilePath) -> Bool {
    switch self {
    case .file(.system(_, let other, _)), .file(.notRegular(let other, _)): other != path
    default: false
    }
  }

  /// Why a store is not replaced if changes that a copy made were undone to read it.
  package static var copyReason: String {
    "its bytes were changed while it was copied, so it is not the store that the app opens"
  }

  /// What went wrong and what to do next, in a sentence for people.
  package var message: String {
    switch self {
    case .file(let error): error.message
    case .sideFile(let error, let data):
      "\(error.cause), so the size and checksum of \(data.text) are unknown and the store is not "
        + "processed. Put the right file there; or copy only \(data.text) to another folder to read it "
        + "without it"
    case .noStore(let folder, let format):
      "\(folder.text) has no store\(format.map { " of the format \($0)" } ?? ""): it contains neither a data "
        + "file nor a side file"
    case .severalStores(let folder, let names), .severalFiles(let folder, let names):
      "\(folder.text) has \(names.count.counted("store", "stores")); name one of them: "
        + names.prefix(20).joined(separator: ", ") + (names.count > 20 ? ", …" : "")
    case .archive(let path):
      "\(path.text) is an archive or a backup; name a store in it, such as \(path.text)!PATH"
    case .ownOutput(let path, let kind):
      "\(path.text) is \(kind), not a store; name the store it was made from"
    case .notScanOutput(let path):
      "\(path.text) is not the JSON output of kvfsck scan; name the output of the scan to resume"
    case .nothingKnown(let folder, let names, let count):
      "\(folder.text) has \(count.counted("file", "files")), but none is known to be a store: "
        + names.joined(separator: ", ") + (count > names.count ? ", …" : "")
        + ". To read one, name it and its format"
    case .notRecognized(let path, let kind, _):
      "\(path.text) is not recognized as a key-value store"
        + (kind.map { ": it looks like \($0)" } ?? "")
    case .irreplaceable(let path, let reason), .uncertain(let path, let reason):
      "\(path.text) is not replaced: \(reason). Write the new files into another folder"
    case .keys(let error): error.message
    case .noSuchID(let ids, let tried):
      "there is no store with the id \(ids.map { "\"\($0)\"" }.joined(separator: " or ")); tried "
        + tried.map(\.text).joined(separator: ", ")
    }
  }
}

/// How likely it is that files are a store of a format, and why.
package struct Recognition: Hashable, Sendable {
  /// The likelihood, from 0 for certainly not to 100 for certainly.
  package let likelihood: Int
  /// The evidence for it or against it, for people.
  package let reasons: [String]

  /// Creates a likelihood with its reasons.
  package init(_ likelihood: Int, because reasons: [String]) {
    self.likelihood = likelihood
    self.reasons = reasons
  }
}
