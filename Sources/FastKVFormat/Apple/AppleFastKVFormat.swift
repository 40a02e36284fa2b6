import KVBytes
package import KVModel
import KVSystem
package import SystemPackage

/// RyanLeeLY's FastKV for iOS: one file of records with types, class names and checksums.
///
/// ```swift
/// let format = AppleFastKVFormat()
/// let store = format.open(try format.discover(at: "evidence/default.fkv"))
/// ```
package struct AppleFastKVFormat: StoreFormat {
  /// The format's name, as `--format` takes it.
  package static let name = "fastkv-apple"

  /// The number of bytes in a pointer in the process that new stores are for; `nil` to use the
  /// width of the store that is read.
  let pointerWidth: Int?

  /// Creates the format; `pointerWidth` decides for which processes stores are written.
  ///
  /// - Precondition: `pointerWidth` is 4, 8 or `nil`.
  package init(pointerWidth: Int? = nil) {
    precondition(pointerWidth == nil || pointerWidth == 4 || pointerWidth == 8)
    self.pointerWidth = pointerWidth
  }

  /// Finds the file of the store at `path`: the file itself, or the only store in a folder.
  ///
  /// - Throws: If there is no store or more than one, or if a file cannot be read.
  package func discover(
    at path: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> [StoreFile] {
    [try source.file(at: source.isFolder(path) ? try onlyStore(in: path, source) : path)]
  }

  /// Returns how likely it is that `files` are such a store, by the magic, or by records whose
  /// lengths, CRC and separator agree.
  package func recognize(_ files: [StoreFile]) -> Recognized<AppleFastKVStore> {
    guard let file = files.first(where: { $0.role == .data }) else {
      return Recognized(Recognition(0, because: ["there is no data file"]))
    }
    return Recognized(recognition(of: file))
  }

  private func recognition(of file: StoreFile) -> Recognition {
    let image = file.image
    let matching = AppleHeader(of: image).magicMatchCount
    let magic = matching == AppleHeader.magic.count
    let records = AppleDialect.detect(in: image).records
    let chain =
      records == 1
      ? "1 record has a matching CRC"
      : "\(records.counted("record has", "records have")) matching CRCs"
    switch (magic, records) {
    case (true, 1...): return Recognition(100, because: ["it begins with FastKV", chain])
    case (true, _): return Recognition(96, because: ["it begins with FastKV"])
    case (false, 2...): return Recognition(97, because: [chain])
    case (false, 1): return Recognition(90, because: [chain])
    default:
      let isNamed = file.path.removing(suffix: Self.suffix) != nil
      // Four of the six letters are also the beginning of other words.
      if matching >= 4, isNamed || ForeignFile.name(of: image) == nil {
        return Recognition(55, because: ["it begins almost with FastKV"])
      }
      return Recognition(
        isNamed ? 5 : 0,
        because: ["it does not begin with FastKV, and no record's CRC matches"])
    }
  }

  /// Returns the store in `files`, as found.
  package func open(_ files: [StoreFile]) -> AppleFastKVStore {
    let file =
      files.first { $0.role == .data } ?? StoreFile(.data, at: "default.fkv", FileImage([]))
    return AppleFastKVStore(file, requestedWidth: pointerWidth)
  }

  /// Returns the file of a new store with `contents`; see ``AppleWriter``.
  ///
  /// - Throws: `.neverEncrypted` if a cipher is asked for, `.tooLarge`, or `.unreadableEntry`.
  package func encode(
    _ contents: StoreContents, like store: AppleFastKVStore, cipher: CipherChoice = .keep
  ) throws(EncodingError) -> [EncodedFile] {
    if case .rekey = cipher { throw .neverEncrypted }
    let width = pointerWidth ?? store.requestedWidth ?? store.dialect.width
    return [
      EncodedFile(
        .data, at: store.file.path.lastName ?? "default.fkv",
        try AppleWriter(width: width).bytes(contents, from: store))
    ]
  }

  /// Returns the only file in `folder` with the suffix, or else with the magic, or else the only
  /// file.
  private func onlyStore(
    in folder: FilePath, _ source: any FileSource
  ) throws(DiscoveryError) -> FilePath {
    let names = try source.allNames(in: folder).filter {
      !source.isFolder(folder.appending($0))
    }
    let suffixed = names.filter { $0.string.hasSuffix(AppleFastKVFormat.suffix) }
    var stores = suffixed
    if stores.isEmpty {
      // A file that cannot be read is not identified as a store.
      stores = names.filter { name in
        let head = try? source.head(of: folder.appending(name), count: AppleHeader.byteCount)
        return head.map { AppleHeader(of: $0).hasMagic } ?? false
      }
    }
    if stores.isEmpty { stores = names }
    guard let first = stores.first else {
      throw .noStore(in: folder, format: AppleFastKVFormat.name)
    }
    if stores.count > 1 {
      throw .severalStores(in: folder, names: stores.map(\.string))
    }
    return folder.appending(first)
  }
}
