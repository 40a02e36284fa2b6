import KVBytes
public import KVModel
public import KVRecovery
import KVSystem
import MMKVFormat
import SystemPackage

/// A store in memory, with the expected result of a check.
public struct GeneratedStore: Sendable {
  /// The time at which stores are checked, in seconds since 1970.
  private static let now: UInt32 = 1_760_000_000

  /// The two files.
  ///
  /// The data file comes first.
  public let files: [StoreFile]
  /// The range of the data file that the store's checksum covers.
  public let payload: Range<Int>
  private let key: MMKVKey?
  private let entryCount: Int
  private let isDamaged: Bool

  /// Creates the store of `log`, which contains `entryCount` keys.
  init(_ log: LogBuilder, entryCount: Int) {
    let (data, meta) = log.files()
    files = GeneratedStore.files(data, meta)
    payload = LogBuilder.headerCount..<LogBuilder.headerCount + log.payloadCount
    key = nil
    isDamaged = false
    self.entryCount = entryCount
  }

  /// Creates the same store with another data file.
  private init(_ whole: GeneratedStore, data: [UInt8]) {
    files = GeneratedStore.files(data, whole.files[1].image.bytes)
    payload = whole.payload.lowerBound..<min(whole.payload.upperBound, data.count)
    key = whole.key
    isDamaged = true
    entryCount = whole.entryCount
  }

  /// Returns the same store with its data file damaged.
  func damaged(by change: (inout [UInt8]) -> Void) -> GeneratedStore {
    var data = files[0].image.bytes
    change(&data)
    return GeneratedStore(self, data: data)
  }

  /// Creates a store with the same entries, encrypted with AES-128, as after a full rewrite by the
  /// engine.
  ///
  /// The initialization vector is random, so the bytes of the log differ from run to run, but not
  /// their number.
  private init(encrypting plain: GeneratedStore, with bytes: [UInt8]) throws(EncodingError) {
    let format = MMKVFormat(now: GeneratedStore.now)
    let store = format.open(plain.files).corrected()
    let live = plain.diagnosis().best?.snapshot.live ?? []
    let contents = StoreContents(
      live.map { StoreContents.Entry(key: store.key(of: $0), value: store.value(of: $0)) })
    let encoded = try format.encode(
      contents, like: store, cipher: .rekey(bytes, isAES256: false))
    files = GeneratedStore.files(encoded[0].bytes, encoded[1].bytes)
    payload = plain.payload
    key = MMKVKey(bytes)
    isDamaged = false
    entryCount = plain.entryCount
  }

  /// Returns a store with the same entries, encrypted with AES-128.
  ///
  /// - Throws: `.noCipher` in a build without the trait `Encryption`.
  func encrypted(with key: String) throws(EncodingError) -> GeneratedStore {
    try GeneratedStore(encrypting: self, with: Array(key.utf8))
  }

  /// Opens the store, which computes its checksum and decrypts it, and diagnoses it, which replays
  /// its log.
  ///
  /// The benchmarks measure this function.
  ///
  /// - Precondition: The store is found clean with all of its entries, or damaged with at least
  ///   nine tenths of them. Otherwise the measurement would be meaningless.
  public func diagnosis() -> Diagnosis {
    let format = MMKVFormat(key: key, now: GeneratedStore.now)
    let diagnosis = Diagnosis(of: format.open(files).corrected(), now: format.now)
    let count = diagnosis.best?.snapshot.live.count ?? 0
    precondition(isDamaged == (diagnosis.verdict != .clean))
    precondition(isDamaged ? count >= entryCount / 10 * 9 : count == entryCount)
    return diagnosis
  }

  /// Returns the CRC-32 of the payload, which is the reference for the measurement.
  public func digest() -> UInt32 { CRC32.digest(of: files[0].image, in: payload) }

  private static func files(_ data: [UInt8], _ meta: [UInt8]) -> [StoreFile] {
    [
      StoreFile(.data, at: "store", FileImage(data)),
      StoreFile(.meta, at: "store.crc", FileImage(meta)),
    ]
  }
}
