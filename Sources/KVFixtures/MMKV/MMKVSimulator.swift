import KVBytes
import KVCryptography
public import KVModel
import MMKVFormat

/// MMKV v2.4.2 in one process, on files in memory.
///
/// Without a cipher the files are byte for byte those of the engine, slack included, but for the
/// random prefix. With one, small values are rewritten in the order in which their keys were set
/// first; the engine's order is that of its hash table.
///
/// Reference: `Docs/FORMAT-MMKV.md` § Writing.
public struct MMKVSimulator: EngineSimulator {
  /// The files, and what was done to them.
  public var disk = SimulatedDisk()
  /// The key that the payload is encrypted with now.
  public internal(set) var key: StoreKey?
  /// What the engine's map says of each key.
  var table: [Key: MMKVEntry] = [:]
  /// The meta fields as the engine has them in memory.
  var meta = MMKVMeta()
  /// The payload as it reads without the cipher.
  var plain: [UInt8] = []
  var randomness: EngineRandomness
  /// Seconds until an entry expires that says nothing itself; nothing while entries do not expire.
  var defaultLifetime: UInt32?
  var now: UInt32
  /// Whether nothing was written since the last rewrite, so that another one is left out.
  var isRewritten = false
  /// The order in which keys came: that in which small values are rewritten under a cipher.
  var nextOrdinal = 0
  private var comparesBeforeSet = false
  let name: String
  let page: Int
  let capacity: Int

  /// An engine that has just made a new store.
  public init(_ settings: StoreSettings, randomness: EngineRandomness) throws(ScriptError) {
    guard settings.page & (settings.page - 1) == 0 else {
      throw ScriptError(line: nil, "a page of \(settings.page) bytes is no power of two")
    }
    guard settings.key == nil || Cryptography.isAvailable else {
      throw ScriptError(line: nil, "this build has no ciphers; build it with the trait Encryption")
    }
    name = settings.name
    page = settings.page
    capacity = max(page, (settings.capacity + page - 1) / page * page)
    key = settings.key
    now = settings.now
    self.randomness = randomness
    disk.create(.data, dataName, count: capacity)
    disk.create(.meta, metaName, count: page)
    // As MMKV::loadFromFile: a new file gets its version at once.
    writeMeta(count: 0, digest: 0, isRewrite: false)
  }

  /// What the app reads back.
  public var entries: [Key: [UInt8]] { table.mapValues { value(of: $0) } }

  /// Does what the app asks for.
  public mutating func perform(_ operation: ScriptOperation) throws(ScriptError) {
    switch operation {
    case .set(let key, let value, let lifetime): try set(key, value, lifetime)
    case .remove(let keys): remove(keys)
    case .clear(let keepsSpace): clear(keepsSpace: keepsSpace)
    case .trim: trim()
    case .compact:
      isRewritten = false
      rewrite()
    case .rekey(let key): try rekey(key)
    case .enableExpiry(let seconds): enableExpiry(seconds)
    case .disableExpiry: disableExpiry()
    case .compareBeforeSet: comparesBeforeSet = defaultLifetime == nil
    case .sync: sync()
    case .reopen: isRewritten = false
    case .now(let seconds): now = seconds
    }
  }

  // MARK: Setting and removing

  private mutating func set(
    _ key: Key, _ value: Value, _ lifetime: UInt32?
  ) throws(ScriptError) {
    guard var bytes = ValueWriter.bytes(of: value), !bytes.isEmpty else {
      throw ScriptError(line: nil, "MMKV has no type for \(value.kind)")
    }
    if let defaultLifetime {
      bytes += deadline(after: lifetime ?? defaultLifetime)
    } else if lifetime != nil {
      throw ScriptError(line: nil, "a lifetime is given, but entries do not expire: enableexpire")
    }
    let record = MMKVRecord(key, bytes)
    let present = table[key]
    // The engine compares in plain stores only.
    if comparesBeforeSet, self.key == nil, let present, self.value(of: present) == bytes { return }
    let overrides = present == nil ? table.isEmpty && meta.actualCount > 0 : table.count == 1
    let entry = overrides ? override(record) : append(record)
    table[key] = entry
    isRewritten = false
  }

  private mutating func remove(_ keys: [Key]) {
    guard keys.count == 1 else { return removeTogether(keys) }
    guard table[keys[0]] != nil else { return }
    isRewritten = false
    _ = append(MMKVRecord(keys[0], []))
    table[keys[0]] = nil
  }

  /// As MMKV::removeValuesForKeys: no tombstones, but a rewrite.
  private mutating func removeTogether(_ keys: [Key]) {
    var isChanged = false
    for key in keys where table.removeValue(forKey: key) != nil { isChanged = true }
    guard isChanged else { return }
    isRewritten = false
    rewrite()
  }

  private mutating func append(_ record: MMKVRecord) -> MMKVEntry {
    makeRoom(for: record.count)
    let offset = meta.actualCount
    store(record, at: offset)
    meta.actualCount += record.count
    var digest = CRC32(resuming: meta.digest)
    let stored = disk.bytes(of: dataName)
    let start = DataLayout.headerCount + offset
    digest.update(stored.span, in: start..<start + record.count)
    writeMeta(count: meta.actualCount, digest: digest.value, isRewrite: false)
    return entry(of: record, at: offset)
  }

  /// As MMKV::doOverrideDataWithKey: the only entry is written over the start of the log.
  private mutating func override(_ record: MMKVRecord) -> MMKVEntry {
    let needed = DataLayout.headerCount + DataLayout.prefixCount + record.count
    guard needed <= fileCount else { return append(record) }
    plain = []
    storePrefix()
    store(record, at: DataLayout.prefixCount)
    let count = DataLayout.prefixCount + record.count
    writeMeta(count: count, digest: digest(of: count), isRewrite: false)
    return entry(of: record, at: DataLayout.prefixCount)
  }

  // MARK: Emptying

  mutating func clear(keepsSpace: Bool) {
    if fileCount == capacity, meta.actualCount == 0 { return }
    let vector = key == nil ? nil : randomness.bytes(Cryptography.blockCount)
    if !keepsSpace, fileCount != capacity { disk.resize(dataName, to: capacity) }
    writeMeta(count: 0, digest: 0, vector: vector, isRewrite: true)
    disk.sync(metaName)
    table = [:]
    plain = []
    isRewritten = false
    // As MMKV::loadFromFile, which follows.
    writeMeta(count: 0, digest: 0, isRewrite: false)
  }

  private mutating func trim() {
    if meta.actualCount == 0 { return clear(keepsSpace: false) }
    guard fileCount > capacity else { return }
    rewrite()
    var count = fileCount
    while count > (meta.actualCount + DataLayout.headerCount) * 2 { count /= 2 }
    count = max(count, capacity)
    if count != fileCount { disk.resize(dataName, to: count) }
  }

  // MARK: Keys and expiry

  private mutating func rekey(_ new: StoreKey?) throws(ScriptError) {
    guard new == nil || Cryptography.isAvailable else {
      throw ScriptError(line: nil, "this build has no ciphers; build it with the trait Encryption")
    }
    guard new != key else { return }
    isRewritten = false
    rewrite(underKey: new)
    // As MMKV::clearMemoryCache: the map is read from the file again.
    isRewritten = false
    key = new
  }

  private mutating func enableExpiry(_ seconds: UInt32) {
    comparesBeforeSet = false
    let wasEnabled = defaultLifetime != nil
    defaultLifetime = seconds
    guard !wasEnabled else { return }
    meta.flags |= 1
    let deadline = deadline(after: seconds)
    rewriteValues { $0 + deadline }
  }

  private mutating func disableExpiry() {
    guard defaultLifetime != nil else { return }
    defaultLifetime = nil
    meta.flags &= ~1
    rewriteValues { Array($0.dropLast(DataLayout.expiryCount)) }
  }

  /// The four bytes that say when an entry expires that is set now.
  private func deadline(after seconds: UInt32) -> [UInt8] {
    let (sum, isTooLate) = now.addingReportingOverflow(seconds)
    var writer = ByteWriter()
    writer.writeInteger(seconds == 0 ? 0 : isTooLate ? .max : sum, as: .little)
    return writer.bytes
  }

  mutating func sync() {
    disk.sync(dataName)
    disk.sync(metaName)
  }

  // MARK: The files

  var dataName: String { name }
  var metaName: String { name + ".crc" }
  var fileCount: Int { disk.bytes(of: dataName).count }

  /// The value of an entry, as its record stores it.
  func value(of entry: MMKVEntry) -> [UInt8] { Array(plain[entry.value]) }

  private mutating func entry(of record: MMKVRecord, at offset: Int) -> MMKVEntry {
    nextOrdinal += 1
    return MMKVEntry(
      offset: offset, headCount: record.headCount, count: record.count, ordinal: nextOrdinal)
  }
}
