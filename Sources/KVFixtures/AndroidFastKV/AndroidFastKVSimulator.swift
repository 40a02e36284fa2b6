import FastKVFormat
import KVBytes
import KVCryptography
import KVModel

/// A simulator of BillyWei01's FastKV of July 2025, in one process and on files in memory.
///
/// The files are byte for byte those of the engine, slack included, except for the random words of
/// the demo app's cipher. The writer of the mode `async` never lags: each change is written at
/// once.
///
/// The simulator reproduces the engine's bugs: after a string with U+0000 in it was set, or a
/// number was removed from an encrypted store, the next launch drops the store.
///
/// Reference: `Docs/FORMAT-FASTKV-ANDROID.md` § Opening, § Writing, § Defects.
struct AndroidFastKVSimulator: EngineSimulator {
  /// The name of the engine in error messages.
  static let engineName = "FastKV for Android"

  /// The files, and the changes made to them.
  var disk = SimulatedDisk()
  /// The key of the demo app's cipher.
  let key: StoreKey?
  /// The engine's map.
  var table: [Key: AndroidFastKVEntry] = [:]
  /// The engine's image of the file in memory, at full capacity.
  var buffer: [UInt8] = []
  /// The offset at which the next record is appended.
  var end = AndroidHeader.byteCount
  var checksum: UInt64 = 0
  /// The ranges of the dead records.
  var invalid: [Range<Int>] = []
  /// The number of dead bytes, as the engine counts them.
  var invalidCount = 0
  var randomness: EngineRandomness
  let cipher: DemoCipher?
  let mode: StoreSettings.WritingMode
  let name: String
  let page: Int

  /// Creates an engine that has just created a new store.
  init(_ settings: StoreSettings, randomness: EngineRandomness) throws(ScriptError) {
    try settings.checkPage(holding: AndroidHeader.byteCount)
    guard settings.capacity == 0 else {
      throw ScriptError(
        line: nil, "FastKV for Android always starts with one page; omit the capacity")
    }
    if let key = settings.key {
      guard !key.isAES256 else {
        throw ScriptError(line: nil, "the cipher of FastKV's demo app has no AES-256")
      }
      guard let cipher = DemoCipher(key: key.bytes) else {
        throw ScriptError(
          line: nil, "this build has no ciphers; build it with the trait Encryption")
      }
      self.cipher = cipher
    } else {
      cipher = nil
    }
    key = settings.key
    mode = settings.mode
    name = settings.name
    page = settings.page
    self.randomness = randomness
    open()
  }

  /// The entries that the app reads back.
  var entries: [Key: [UInt8]] { table.mapValues(\.value) }

  /// Carries out an operation of the app.
  mutating func perform(_ operation: ScriptOperation) throws(ScriptError) {
    switch operation {
    case .set(let key, let value, nil): try set(key, value)
    case .set:
      throw ScriptError(
        line: nil, "a lifetime is given, but entries of FastKV for Android do not expire")
    case .remove(let keys): for key in keys { remove(key) }
    case .clear(keepsSpace: false): clear()
    case .sync:
      // As FileHelper.force: in the other modes, every change is already on disk.
      if isMapped { for copy in copies { disk.sync(copy) } }
    case .reopen: open()
    case .now: break
    default: throw operation.refusal(by: Self.engineName)
    }
  }

  // MARK: Files

  /// Whether the store is two mapped copies, rather than a file that each change replaces.
  var isMapped: Bool { mode == .nonBlocking }
  /// The names of the two copies, in the order in which they are written.
  var copies: [String] { [name + ".kva", name + ".kvb"] }
  /// The name of the file in the other modes.
  var replacedName: String { name + ".kvc" }
  /// The name of that file until it is complete.
  var temporaryName: String { name + AndroidFileNames.temporarySuffix }

  /// The first word of the current header.
  var word: UInt32 {
    AndroidHeader(
      count: end - AndroidHeader.byteCount, isEncrypted: cipher != nil, checksum: checksum
    ).word
  }
}
