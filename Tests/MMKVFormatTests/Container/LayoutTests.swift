import KVBytes
import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

@Suite struct LayoutTests {
  @Test func recordsAreReadWhereTheDumpHasThem() throws {
    let dump = try HexFixture(SmallStore.data)
    let store = try SmallStore.open()
    let log = try #require(store.lengthClaims.first?.log)
    #expect(log == Extent(.data, dump["①"]..<dump["⑥"]))
    let events = Array(store.records(in: log, scan: .engine))
    #expect(
      events == [
        .filler(Extent(.data, dump["①"]..<dump["②"])),
        .record(Record(.put, in: .data, at: 8..<12, key: 9..<10, value: 11..<12)),
        .record(Record(.put, in: .data, at: 12..<22, key: 13..<17, value: 18..<22)),
        .record(Record(.remove, in: .data, at: 22..<25, key: 23..<24, value: 25..<25)),
        .record(Record(.put, in: .data, at: 25..<30, key: 26..<28, value: 29..<30)),
      ])
    #expect(store.loggedRecords().map(\.offset) == ["②", "③", "④", "⑤"].map { dump[$0] })
    #expect(store.loggedRecords().map { store.key(of: $0).text } == ["a", "name", "a", "on"])
    #expect(
      store.loggedRecords().map { store.value(of: $0) } == [
        [7], [3, 0x41, 0x6e, 0x6e], [], [1],
      ])
    #expect(store.version == 4 && !store.isEncrypted && store.access == .readable)
  }

  @Test func everyFieldHasItsRegion() throws {
    let data = try HexFixture(SmallStore.data)
    let meta = try HexFixture(SmallStore.meta)
    let store = try SmallStore.open()
    expectRegions(store.layout, tileFilesOf: store)
    let roles = store.files.roleNames
    let extents = Dictionary(
      store.layout.map { ("\(roles[$0.extent.file]) \($0.name)", $0.extent.range) }
    ) { first, _ in first }
    #expect(
      extents == [
        "data header": 0..<data["①"], "data prefix": data["①"]..<data["②"],
        "data log": data["②"]..<data["⑥"],
        "data slack": data["⑥"]..<4096, "meta digest": meta["①"]..<meta["②"],
        "meta version": meta["②"]..<meta["③"], "meta sequence": meta["③"]..<meta["④"],
        "meta vector": meta["④"]..<meta["⑤"], "meta actual size": meta["⑤"]..<meta["⑥"],
        "meta confirmed size": meta["⑥"]..<meta["⑦"],
        "meta confirmed digest": meta["⑦"]..<meta["⑧"], "meta reserved": meta["⑧"]..<meta["⑨"],
        "meta flags": meta["⑨"]..<meta["⑩"], "meta padding": meta["⑩"]..<4096,
      ])
  }

  @Test func digestsAreHeldAgainstTheBytes() throws {
    let meta = try HexFixture(SmallStore.meta)
    let store = try SmallStore.open()
    let current = try #require(store.lengthClaims.first)
    #expect(current.role == .current && current.count == 26 && current.isVerified)
    #expect(current.statedAt == Extent(.meta, meta["⑤"]..<meta["⑥"]))
    #expect(current.checksum?.stored == 0x01d6_94bf && current.checksum?.computed == 0x01d6_94bf)
    #expect(current.checksum?.storedAt == Extent(.meta, meta["①"]..<meta["②"]))
    let confirmed = try #require(store.lengthClaims.first { $0.role == .confirmed })
    #expect(confirmed.count == 4 && confirmed.isVerified)
    #expect(confirmed.checksum?.stored == 0x4c99_85d1)
    #expect(confirmed.checksum?.storedAt == Extent(.meta, meta["⑦"]..<meta["⑧"]))
    #expect(store.lengthClaims.compactMap(\.checksum).count == 2)
  }

  @Test func builderMakesTheSameFilesAsTheDump() throws {
    #expect(SmallStore.builder.data == (try HexFixture(SmallStore.data, zeroFilledTo: 4096)).bytes)
    #expect(SmallStore.builder.meta == (try HexFixture(SmallStore.meta, zeroFilledTo: 4096)).bytes)
  }

  // MARK: The size that counts

  @Test(arguments: 0...9)
  func versionDecidesWhichSizeCounts(_ version: UInt32) throws {
    var builder = SmallStore.builder
    let all = UInt32(builder.payload.count)
    builder.version = max(version, 3)
    builder.header = 8
    var meta = builder.meta
    meta.replaceSubrange(4..<8, with: MMKVFixtureBuilder.little(version))
    let store = MMKVFormat(now: 0).open(
      MMKVFixtureBuilder.files(data: builder.data, meta: meta)
    ).corrected()
    let current = try #require(store.lengthClaims.first)
    #expect(current.count == (version < 3 ? 8 : Int(all)))
    #expect(current.statedAt?.file == (version < 3 ? .data : .meta))
    #expect(current.isVerified == (version >= 3))
    // The other size is kept as an alternative, because it may be the correct one.
    let other = try #require(store.lengthClaims.first { $0.role == .alternate && $0.count != 4 })
    #expect(other.count == (version < 3 ? Int(all) : 8))
    #expect(store.version == Int(version))
  }

  @Test(arguments: 0...4)
  func storeOfEveryVersionIsReadWhole(_ version: UInt32) throws {
    var builder = SmallStore.builder
    builder.version = version
    let store = builder.open()
    #expect(store.lengthClaims.first?.isVerified == true)
    #expect(store.loggedRecords().count == 4)
    #expect(expectSound(store, now: 0).verdict == .clean)
  }

  @Test(arguments: [0, 8, 0xffff_ffff] as [UInt32])
  func headerThatIsNotKeptUpToDateDoesNoHarm(_ header: UInt32) throws {
    // Since 2.4.0, the engine leaves the header at 0, or at the value that an older version wrote.
    var builder = SmallStore.builder
    builder.header = header
    let diagnosis = expectSound(builder.open(), now: 0)
    #expect(diagnosis.verdict == .clean)
    #expect(diagnosis.best?.snapshot.live.count == 2)
  }

  // MARK: Pages

  @Test func metaFileTellsThePageSize() throws {
    var builder = SmallStore.builder
    builder.page = 16384
    let store = builder.open()
    #expect(store.stored(.data).count == 16384)
    #expect(expectSound(store, now: 0).verdict == .clean)
    var cut = MMKVFixtureBuilder.files(
      data: Array(builder.data.prefix(5000)), meta: builder.meta)
    #expect(MMKVFormat(now: 0).open(cut).stored(.data).count == 16384)
    cut = MMKVFixtureBuilder.files(
      data: Array(builder.data.prefix(5000)), meta: SmallStore.builder.meta)
    #expect(MMKVFormat(now: 0).open(cut).stored(.data).count == 8192)
  }

  /// A device with smaller pages leaves the meta file as it is, and may shorten the data file to a
  /// number of them.
  @Test func aStoreMayHaveMovedToADeviceWithSmallerPages() {
    var builder = SmallStore.builder
    builder.page = 16384
    func open() -> MMKVStore {
      let files = MMKVFixtureBuilder.files(
        data: Array(builder.data.prefix(4096)), meta: builder.meta)
      return MMKVFormat(now: 0).open(files).corrected()
    }
    let moved = open()
    #expect(moved.stored(.data).count == 4096 && moved.stored(.meta).count == 16384)
    let diagnosis = expectSound(moved, now: 0)
    #expect(diagnosis.verdict == .clean && diagnosis.findings == [])
    // If the log does not fit into it, the file was truncated.
    builder.put("long", text: String(repeating: "x", count: 5000))
    #expect(open().stored(.data).count == 16384)
  }

  @Test(arguments: [(0, 4096), (1, 4096), (4095, 4096), (4096, 4096), (4097, 8192), (8192, 8192)])
  func filesAreExtendedToWholePages(_ count: Int, _ extended: Int) {
    let files = MMKVFixtureBuilder.files(
      data: [UInt8](repeating: 1, count: count), meta: SmallStore.builder.meta)
    let store = MMKVFormat(now: 0).open(files).corrected()
    #expect(store.stored(.data).count == extended)
    #expect(store.stored(.data).isZero(in: count..<extended))
    #expect(store.logArea == Extent(.data, min(4, count)..<count))
  }

  // MARK: Impossible sizes

  @Test(
    arguments: [
      4092, 4093, 4096, 0x7fff_fffe, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_fffb,
      0xffff_fffc,
      0xffff_ffff,
    ] as [UInt32])
  func sizesUpToTheLastBitAreComparedWithoutOverflow(_ size: UInt32) throws {
    for version in UInt32(2)...4 {
      var builder = SmallStore.builder
      builder.version = version
      builder.header = size
      builder.actualCount = size
      builder.confirmed = (size, 1)
      let store = builder.open()
      let current = try #require(store.lengthClaims.first)
      #expect(current.count == Int(size))
      #expect((current.log == nil) == (size > 4092))
      #expect(!current.isVerified)
      let diagnosis = expectSound(store, now: 0, "size \(size), version \(version)")
      #expect(diagnosis.verdict == .damaged || diagnosis.verdict == .repairable)
      #expect(diagnosis.best?.snapshot.live.count == 2)
    }
  }
}
