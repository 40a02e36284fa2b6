import KVBytes
import KVFixtures
import KVInput
import KVModel
import KVSystem
import KVTestSupport
import MMKVFormat
import SystemPackage
import Testing

/// MMKV's format, but only the recognition may open a store.
///
/// Any other opening is recorded as an issue.
private struct OnceOpened: StoreFormat {
  static let name = MMKVFormat.name
  let format = MMKVFormat(now: 0)

  func discover(
    at path: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> [StoreFile] {
    try format.discover(at: path, in: source)
  }

  func recognize(_ files: [StoreFile]) -> Recognized<MMKVStore> { format.recognize(files) }

  func open(_ files: [StoreFile]) -> MMKVStore {
    Issue.record("the store is opened once more")
    return format.open(files)
  }

  func encode(
    _ contents: StoreContents, like store: MMKVStore, cipher: CipherChoice
  ) throws(EncodingError) -> [EncodedFile] {
    try format.encode(contents, like: store, cipher: cipher)
  }
}

@Suite struct DiscoveryTests {
  private let format = MMKVFormat(now: 0)
  private let data = SmallStore.builder.data
  private let meta = SmallStore.builder.meta

  private func names(_ files: [StoreFile]) -> [String?] {
    files.map { $0.path.lastComponent?.string }
  }

  @Test func eitherFileLeadsToBoth() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(data, to: "kv")
    try folder.write(meta, to: "kv.crc")
    try folder.write([1], to: "unrelated")
    for name in ["kv", "kv.crc"] {
      let files = try format.discover(at: folder.path.appending(name))
      #expect(files.map(\.role) == [.data, .meta])
      #expect(names(files) == ["kv", "kv.crc"])
      #expect(files[0].path == path && files[0].image.bytes == data)
    }
  }

  @Test func aStoreIsOpenedOnceToBeRecognizedAndRead() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(data, to: "kv")
    try folder.write(meta, to: "kv.crc")
    let best = try Formats([OnceOpened()]).candidates(at: path, in: DiskSource()).best
    let store = best.found.open()
    #expect(store.files.map(\.role) == [.data, .meta])
    #expect(store.lengthClaims.first?.isVerified == true)
  }

  @Test func folderOfOneStoreIsThatStore() throws {
    let folder = try TemporaryFolder()
    try folder.write(data, to: "kv")
    try folder.write(meta, to: "kv.crc")
    try Folder.make(folder.path.appending("specialCharacter"))
    // A single file beside a pair is not a store.
    try folder.write([1], to: "notes.txt")
    #expect(names(try format.discover(at: folder.path)) == ["kv", "kv.crc"])
  }

  @Test func folderOfOneLoneFileIsThatStore() throws {
    let folder = try TemporaryFolder()
    try folder.write(data, to: "kv")
    #expect(names(try format.discover(at: folder.path)) == ["kv"])
    let other = try TemporaryFolder()
    try other.write(meta, to: "kv.crc")
    #expect(names(try format.discover(at: other.path)) == ["kv.crc"])
  }

  @Test func folderWithoutAStoreIsSaid() throws {
    let folder = try TemporaryFolder()
    let path = folder.path
    #expect(throws: DiscoveryError.noStore(in: path, format: "mmkv")) {
      _ = try format.discover(at: path)
    }
    try Folder.make(folder.path.appending("sub"))
    #expect(throws: DiscoveryError.noStore(in: path, format: "mmkv")) {
      _ = try format.discover(at: path)
    }
  }

  @Test func folderOfSeveralStoresNamesThem() throws {
    let folder = try TemporaryFolder()
    for name in ["b", "a"] {
      try folder.write(data, to: name)
      try folder.write(meta, to: name + ".crc")
    }
    let path = folder.path
    #expect(throws: DiscoveryError.severalStores(in: path, names: ["a", "b"])) {
      _ = try format.discover(at: path)
    }
  }

  @Test func oneFileOfTheTwoIsEnough() throws {
    let folder = try TemporaryFolder()
    let lone = try folder.write(data, to: "data-only")
    #expect(try format.discover(at: lone).map(\.role) == [.data])
    let other = try folder.write(meta, to: "meta-only.crc")
    // A single file that ends in .crc is the meta file of a missing data file.
    let files = try format.discover(at: other)
    #expect(files.map(\.role) == [.meta] && names(files) == ["meta-only.crc"])
    #expect(names(try format.discover(at: folder.path.appending("meta-only"))) == ["meta-only.crc"])
  }

  @Test func dataFileMayEndInTheMetaFilesSuffix() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(data, to: "id.crc")
    try folder.write(meta, to: "id.crc.crc")
    #expect(names(try format.discover(at: path)) == ["id.crc", "id.crc.crc"])
    #expect(
      names(try format.discover(at: folder.path.appending("id.crc.crc")))
        == ["id.crc", "id.crc.crc"])
    #expect(names(try format.discover(at: folder.path)) == ["id.crc", "id.crc.crc"])
  }

  @Test func pathWithoutAFileIsSaid() throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("none")
    #expect(
      throws: DiscoveryError.file(
        .system(operation: "read", path: path, errno: .noSuchFileOrDirectory))
    ) { _ = try format.discover(at: path) }
  }

  @Test func deviceIsNoStore() {
    #expect(
      throws: DiscoveryError.file(.notRegular(path: "/dev/null", kind: "a character device"))
    ) { _ = try format.discover(at: "/dev/null") }
  }

  @Test func linkToAStoreIsFollowed() throws {
    let folder = try TemporaryFolder()
    try folder.write(data, to: "kv")
    let link = try folder.link("link", to: "kv")
    #expect(try format.discover(at: link).first?.image.bytes == data)
  }

  @Test func whatSpeaksForAStoreMakesItLikelier() {
    var random = SeededGenerator(seed: 1)
    let noise = random.bytes(4096)
    let likelihoods = [
      MMKVFixtureBuilder.files(data: data, meta: meta),
      MMKVFixtureBuilder.files(data: data, meta: nil),
      MMKVFixtureBuilder.files(data: noise, meta: meta),
      MMKVFixtureBuilder.files(data: noise, meta: nil),
    ].map { format.recognize($0).recognition.likelihood }
    #expect(likelihoods == likelihoods.sorted(by: >) && Set(likelihoods).count == 4)
    #expect(likelihoods[0] > 90 && likelihoods[3] < 10)
  }

  // MARK: IDs

  @Test(arguments: ["settings", "with space", ".hidden", "schlüssel", "id.crc"])
  func plainIDIsTheFilesName(_ id: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(data, to: id)
    try folder.write(meta, to: id + ".crc")
    #expect(
      names(try format.discover(ids: [id], below: folder.path, in: DiskSource())) == [
        id, id + ".crc",
      ])
  }

  @Test func idThatIsNotThereNamesWhatWasTried() throws {
    let folder = try TemporaryFolder()
    do throws(DiscoveryError) {
      _ = try format.discover(ids: ["none"], below: folder.path, in: DiskSource())
      Issue.record("a store was found in an empty folder")
    } catch .noSuchID(let ids, let tried) {
      #expect(ids == ["none"] && tried.first == folder.path.appending("none"))
    } catch {
      Issue.record("\(error)")
    }
  }

  #if Encryption
    /// Tests that an ID with a combining mark after a special character is hashed.
    ///
    /// The engine compares bytes, so a mark after a slash does not make it another character.
    @Test(arguments: ["a/\u{301}b", "a:\u{20dd}b"])
    func idThatHasAMarkAfterASpecialCharacterIsHashed(id: String) throws {
      let folder = try TemporaryFolder()
      do throws(DiscoveryError) {
        _ = try format.discover(ids: [id], below: folder.path, in: DiskSource())
        Issue.record("a store was found in an empty folder")
      } catch .noSuchID(_, let tried) {
        #expect(
          tried.first?.removingLastComponent() == folder.path.appending("specialCharacter"))
      } catch {
        Issue.record("\(error)")
      }
    }

    @Test func idThatCannotBeANameIsHashed() throws {
      // The MD5 of "a/b:c" is the one that md5sum prints.
      let hash = "42d7d68ba871aeb78a438f04d0f1f19c"
      let folder = try TemporaryFolder()
      try Folder.make(folder.path.appending("specialCharacter"))
      try folder.write(data, to: "specialCharacter/\(hash)")
      try folder.write(meta, to: "specialCharacter/\(hash).crc")
      let files = try format.discover(ids: ["x", "a/b:c"], below: folder.path, in: DiskSource())
      #expect(names(files) == [hash, hash + ".crc"])
      let known = MMKVFormat(now: 0, candidateIDs: ["x", "a/b:c"]).open(files)
      let finding = try #require(known.check().first { $0.code == "mmkv.hashed-id" })
      #expect(finding.message.contains("a/b:c") && finding.severity == .note)
      let unknown = MMKVFormat(now: 0, candidateIDs: ["x"]).open(files)
      #expect(!unknown.check().contains { $0.code == "mmkv.hashed-id" })
    }
  #endif

  @Test func aScanReadsNothingBeyondTheLimitEvenIfItHasReadItBefore() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write([1, 2, 3], to: "kv")
    var walk = TreeWalk([folder.path])
    guard case .target(let target)? = walk.next() else {
      Issue.record("there is no target")
      return
    }
    let source = target.source(limit: .max)
    #expect(try source.read(path, limit: 3).count == 3)
    #expect(throws: FileError.tooLarge(path: path, count: 3, limit: 2)) {
      try source.read(path, limit: 2)
    }
  }

  #if os(Linux)
    @Test func aNewStoreHasTheBytesOfTheOldName() throws {
      let folder = try TemporaryFolder()
      let path = FilePath(bytes: folder.path.bytes + Array("/caf".utf8) + [0xe9])
      for (suffix, bytes) in [("", data), (".crc", meta)] {
        let file = path.appending(suffix: suffix)
        try FileDescriptor.open(
          file, .writeOnly, options: .create, permissions: .ownerReadWrite
        ).closeAndWrite(bytes)
      }
      let store = format.open(try format.discover(at: path))
      let files = try format.encode(StoreContents([]), like: store)
      let out = folder.path.appending("out")
      #expect(
        files.map { $0.path(in: out).bytes }
          == ["", ".crc"].map {
            out.bytes + Array("/caf".utf8) + [0xe9] + Array($0.utf8)
          })
    }
  #endif

  /// Tests that a scan does not read through a link that leads out of its folder.
  ///
  /// Another process may create such a link after the folder was listed.
  @Test func aScanReadsNothingThatALinkOutOfItsFolderLeadsTo() throws {
    let folder = try TemporaryFolder()
    let outside = try TemporaryFolder()
    let secret = try outside.write([1, 2, 3], to: "secret")
    try Folder.make(folder.path.appending("values"))
    let own = try folder.write([4], to: "values/own")
    try folder.write(MMKVFixtureBuilder(texts: [("a", "1")]).files()[0].image.bytes, to: "kv")
    var walk = TreeWalk([folder.path])
    guard case .target(let target)? = walk.next() else {
      Issue.record("there is no target")
      return
    }
    let source = target.source(limit: .max)
    let place = source.folder(of: target.path, named: target.path)
    let link = try folder.link("values/link", to: secret.string)
    #expect(try source.read(own, in: place, limit: .max).bytes == [4])
    let error = #expect(throws: FileError.self) {
      try source.read(link, in: place, limit: .max)
    }
    guard case .leadsOut(link, _)? = error else {
      Issue.record("\(error as Any)")
      return
    }
  }
}

extension FileDescriptor {
  /// Writes `bytes` and closes the file.
  fileprivate func closeAndWrite(_ bytes: [UInt8]) throws {
    _ = try closeAfter { try writeAll(bytes) }
  }
}
