import FastKVFormat
import KVBytes
import KVCryptography
package import KVModel

/// BillyWei01's FastKV of 2025-07 in one process, on files in memory.
///
/// The files are byte for byte those of the engine, slack included, but for the random words of the
/// demo app's cipher. The writer of the mode `async` is never after: a file follows each change.
///
/// What the engine gets wrong is done wrong here: a text with U+0000 in it, and under a cipher the
/// removal of a number, make the next launch drop the store.
///
/// Reference: `Docs/FORMAT-FASTKV-ANDROID.md` § Opening, § Writing, § Defects.
package struct AndroidFastKVSimulator: EngineSimulator {
  /// What the engine is called in errors.
  static let engineName = "FastKV for Android"

  /// The files, and what was done to them.
  package var disk = SimulatedDisk()
  /// The key of the demo app's cipher.
  package let key: StoreKey?
  /// The engine's map.
  var table: [Key: AndroidFastKVEntry] = [:]
  /// What the engine has of the file in memory, as long as the file is or will be.
  var buffer: [UInt8] = []
  /// Where the next record goes.
  var end = AndroidHeader.byteCount
  var checksum: UInt64 = 0
  /// Records that are dead.
  var invalid: [Range<Int>] = []
  /// How many bytes the engine believes them to take.
  var invalidCount = 0
  var randomness: EngineRandomness
  let cipher: DemoCipher?
  let mode: StoreSettings.WritingMode
  let name: String
  let page: Int

  /// An engine that has just made a new store.
  package init(_ settings: StoreSettings, randomness: EngineRandomness) throws(ScriptError) {
    guard settings.page > 0, settings.page & (settings.page - 1) == 0 else {
      throw ScriptError(line: nil, "a page of \(settings.page) bytes is no power of two")
    }
    guard settings.capacity == 0 else {
      throw ScriptError(
        line: nil, "FastKV for Android begins with a page, and a capacity is given")
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

  /// What the app reads back.
  package var entries: [Key: [UInt8]] { table.mapValues(\.value) }

  /// Does what the app asks for.
  package mutating func perform(_ operation: ScriptOperation) throws(ScriptError) {
    switch operation {
    case .set(let key, let value, nil): try set(key, value)
    case .set:
      throw ScriptError(
        line: nil, "a lifetime is given, and in FastKV for Android no entry expires")
    case .remove(let keys): for key in keys { remove(key) }
    case .clear(keepsSpace: false): clear()
    case .sync:
      // As FileHelper.force: in the other modes every change is on the disk already.
      if isMapped { for copy in copies { disk.sync(copy) } }
    case .reopen: open()
    case .now: break
    default: throw operation.refusal(by: Self.engineName)
    }
  }

  // MARK: The files

  /// Whether there are two mapped copies, and not a file that is replaced.
  var isMapped: Bool { mode == .nonBlocking }
  /// The names of the two copies, in the order in which they are written.
  var copies: [String] { [name + ".kva", name + ".kvb"] }
  /// The name of the file of the other modes.
  var replacedName: String { name + ".kvc" }
  /// The name that it has until it is whole.
  var temporaryName: String { name + AndroidFileNames.temporarySuffix }

  /// The header's first word for what is there now.
  var word: UInt32 {
    AndroidHeader(
      count: end - AndroidHeader.byteCount, isEncrypted: cipher != nil, checksum: checksum
    ).word
  }
}
