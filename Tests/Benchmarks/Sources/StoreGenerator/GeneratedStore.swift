import KVBytes
public import KVModel
public import KVRecovery
import MMKVFormat
import SystemPackage

/// A store in memory, with what a check of it has to come to.
public struct GeneratedStore: Sendable {
  /// The time at which stores are checked, in seconds since 1970.
  private static let now: UInt32 = 1_760_000_000

  /// Its two files, the data file first.
  public let files: [StoreFile]
  /// The bytes of the data file that the store's checksum covers.
  public let payload: Range<Int>
  private let key: MMKVKey?
  private let entryCount: Int

  /// The store of `log`, which holds `entryCount` keys.
  init(_ log: LogBuilder, entryCount: Int) {
    let (data, meta) = log.files()
    files = GeneratedStore.files(data, meta)
    payload = LogBuilder.headerCount..<LogBuilder.headerCount + log.payloadCount
    key = nil
    self.entryCount = entryCount
  }

  /// The same entries under AES-128, as after a full rewrite by the engine.
  ///
  /// The vector is random, so the bytes of the log differ from run to run; their count does not.
  private init(encrypting plain: GeneratedStore, with bytes: [UInt8]) throws(EncodingError) {
    let format = MMKVFormat(now: GeneratedStore.now)
    let store = format.open(plain.files)
    let live = plain.diagnosis().best?.snapshot.live ?? []
    let contents = StoreContents(
      live.map { StoreContents.Entry(key: store.key(of: $0), value: store.value(of: $0)) })
    let encoded = try format.encode(
      contents, like: store, cipher: .rekey(bytes, isAES256: false))
    files = GeneratedStore.files(encoded[0].bytes, encoded[1].bytes)
    payload = plain.payload
    key = MMKVKey(bytes)
    entryCount = plain.entryCount
  }

  /// The same entries under AES-128.
  ///
  /// - Throws: `.noCipher` in a build without the trait `Encryption`.
  func encrypted(with key: String) throws(EncodingError) -> GeneratedStore {
    try GeneratedStore(encrypting: self, with: Array(key.utf8))
  }

  /// What is measured: opens the store, which digests and decrypts it, and diagnoses it, which
  /// replays its log.
  ///
  /// - Precondition: The store comes out clean and with all of its entries; otherwise nothing was
  ///   measured.
  public func diagnosis() -> Diagnosis {
    let format = MMKVFormat(key: key, now: GeneratedStore.now)
    let diagnosis = Diagnosis(of: format.open(files), now: format.now)
    precondition(diagnosis.verdict == .clean)
    precondition(diagnosis.best?.snapshot.live.count == entryCount)
    return diagnosis
  }

  /// What it is measured against: the CRC-32 of the same payload.
  public func digest() -> UInt32 { CRC32.digest(of: files[0].image, in: payload) }

  private static func files(_ data: [UInt8], _ meta: [UInt8]) -> [StoreFile] {
    [
      StoreFile(.data, at: "store", FileImage(data)),
      StoreFile(.meta, at: "store.crc", FileImage(meta)),
    ]
  }
}
