import KVBytes
import KVCryptography
import KVModel
import MMKVFormat

/// A simulator of MMKV v2.4.2, in one process and on files in memory.
///
/// Without encryption, the files are byte for byte those of the engine on Linux, slack included,
/// except for the random prefix. With encryption, this holds for the decrypted bytes. Where the
/// engine writes in the order of its hash table, the order differs on other systems. See
/// ``EngineMapOrder``.
///
/// Reference: `Docs/FORMAT-MMKV.md` § Writing.
struct MMKVSimulator: EngineSimulator {
  /// The files, and the changes made to them.
  var disk = SimulatedDisk()
  /// The key with which the payload is currently encrypted.
  package internal(set) var key: StoreKey?
  /// The engine's map.
  var table: [Key: MMKVEntry] = [:]
  /// The iteration order of that map.
  var order = EngineMapOrder()
  /// The fields of the meta file, as the engine has them in memory.
  var meta = MMKVMeta()
  /// The decrypted payload.
  var plain: [UInt8] = []
  var randomness: EngineRandomness
  /// The default lifetime of entries in seconds, or `nil` while entries do not expire.
  var defaultLifetime: UInt32?
  var now: UInt32
  /// Whether nothing was written since the last rewrite, so that another one would be skipped.
  var isRewritten = false
  private var comparesBeforeSet = false
  let name: String
  let page: Int
  let capacity: Int

  /// Creates an engine that has just created a new store.
  init(_ settings: StoreSettings, randomness: EngineRandomness) throws(ScriptError) {
    try settings.checkPage(holding: MMKVMeta.byteCount)
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
    // As MMKV::loadFromFile: the version of a new file is stored at once.
    writeMeta(count: 0, digest: 0, isRewrite: false)
  }

  /// The entries that the app reads back.
  var entries: [Key: [UInt8]] { table.mapValues { value(of: $0) } }

  /// Carries out an operation of the app.
  mutating func perform(_ operation: ScriptOperation) throws(ScriptError) {
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
    case .reopen: reopen()
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
      throw ScriptError(line: nil, "a lifetime is given, but expiry is off; use enableexpire")
    }
    let record = MMKVRecord(key, bytes)
    let present = table[key]
    // The engine compares values only in plain stores.
    if comparesBeforeSet, self.key == nil, let present, self.value(of: present) == bytes { return }
    let overrides = present == nil ? table.isEmpty && meta.actualCount > 0 : table.count == 1
    let entry = overrides ? override(record) : append(record)
    // The entry may have been dropped as expired while room was made.
    if table.updateValue(entry, forKey: key) == nil { order.insert(key) }
    isRewritten = false
  }

  private mutating func remove(_ keys: [Key]) {
    guard keys.count == 1 else { return removeTogether(keys) }
    guard table[keys[0]] != nil else { return }
    isRewritten = false
    _ = append(MMKVRecord(keys[0], []))
    table[keys[0]] = nil
    order.remove(keys[0])
  }

  /// Removes several keys with a rewrite, and without tombstones.
  ///
  /// As MMKV::removeValuesForKeys.
  private mutating func removeTogether(_ keys: [Key]) {
    var isChanged = false
    for key in keys where table.removeValue(forKey: key) != nil {
      order.remove(key)
      isChanged = true
    }
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
    digest.update(stored.storageSpan, in: start..<start + record.count)
    writeMeta(count: meta.actualCount, digest: digest.value, isRewrite: false)
    return entry(of: record, at: offset)
  }

  /// Overwrites the log from its start with the only entry.
  ///
  /// As MMKV::doOverrideDataWithKey.
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

  // MARK: Clearing and trimming

  mutating func clear(keepsSpace: Bool) {
    if fileCount == capacity, meta.actualCount == 0 { return }
    let vector = key == nil ? nil : randomness.bytes(Cryptography.blockCount)
    if !keepsSpace, fileCount != capacity { disk.resize(dataName, to: capacity) }
    writeMeta(count: 0, digest: 0, vector: vector, isRewrite: true)
    disk.sync(metaName)
    table = [:]
    order.removeAll()
    plain = []
    isRewritten = false
    // As MMKV::loadFromFile, which the engine calls next.
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
    // The engine compares the given text with the key that it has kept, which is cut at the length
    // of an AES key or at a zero byte. A longer key therefore counts as a new one even if it is the
    // same.
    if let new, let key, new.isAES256 == key.isAES256, new.bytes == kept(key) { return }
    guard new != nil || key != nil else { return }
    isRewritten = false
    rewrite(underKey: new)
    if new == nil || key == nil { order = EngineMapOrder() }
    key = new
    reload()
  }

  /// Forgets the options that the app has set.
  ///
  /// Whether entries expire is read from the meta file.
  private mutating func reopen() {
    comparesBeforeSet = false
    if defaultLifetime != nil { defaultLifetime = 0 }
    reload(isNewProcess: true)
  }

  /// Reads the map from the file again.
  ///
  /// As MMKV::clearMemoryCache, and MMKV::loadFromFile at the next call.
  mutating func reload(isNewProcess: Bool = false) {
    isRewritten = false
    if isNewProcess { order = EngineMapOrder() }
    order.removeAll()
    guard meta.actualCount > 0 else { return }
    // The engine reads the file into a new map, which replaces the old one.
    order = EngineMapOrder()
    var present: Set<Key> = []
    let plain = plain
    var cursor = ByteCursor(
      plain.storageSpan, in: min(DataLayout.prefixCount, plain.count)..<plain.count)
    while cursor.remaining > 0, let key = Self.part(&cursor), let value = Self.part(&cursor) {
      let key = Key(Array(plain[key]))
      if value.isEmpty {
        if present.remove(key) != nil { order.remove(key) }
      } else if present.insert(key).inserted {
        order.insert(key)
      }
    }
  }

  /// Returns the range of a part of a record, and advances past it.
  ///
  /// The engine's own records always have this form: a length, then as many bytes.
  private static func part(_ cursor: inout ByteCursor) -> Range<Int>? {
    guard let count = try? cursor.readVarint() else { return nil }
    return try? cursor.readRange(count: Int(count))
  }

  /// Returns the bytes that the engine keeps of a key.
  ///
  /// As AESCrypt::getKey and MMKV::cryptKey.
  private func kept(_ key: StoreKey) -> [UInt8] {
    Array(key.bytes.prefix(key.isAES256 ? 32 : 16).prefix { $0 != 0 })
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

  /// Returns the four bytes of the expiry time of an entry set now.
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

  // MARK: Files

  var dataName: String { name }
  var metaName: String { name + ".crc" }
  var fileCount: Int { disk.bytes(of: dataName).count }

  /// Returns the value of an entry, as its record stores it.
  func value(of entry: MMKVEntry) -> [UInt8] { Array(plain[entry.value]) }

  private mutating func entry(of record: MMKVRecord, at offset: Int) -> MMKVEntry {
    MMKVEntry(offset: offset, headCount: record.headCount, count: record.count)
  }
}
