import KVBytes
import KVCryptography
import KVModel
import KVSystem
import SystemPackage

/// A writer of compact stores that every engine version from 1.1 reads.
///
/// The meta file has version 4; the header has the size too, for engines that use it. The size and
/// digest are also the last confirmed ones, as after the engine's own full rewrite. The file has
/// the free space that the engine leaves for more.
///
/// The same contents give the same bytes. The engine chooses the prefix and the initialization vector
/// at random; here they are made from the contents and, for the vector, from the key. Who does not
/// have the key cannot foresee the vector, and two stores have the same one only if their contents are
/// the same too.
///
/// Reference: `Docs/FORMAT-MMKV.md` § Writing.
struct MMKVWriter {
  /// The values that the engine chooses prefixes from; each takes four bytes.
  private static let prefixes: ClosedRange<UInt64> = 0x20_0000...0xfff_ffff

  let page: PageSize
  let sequence: UInt32
  let hasExpiry: Bool
  let key: MMKVKey?

  /// Returns the data file and the meta file of a store named `name`.
  func files(
    named name: FilePath, _ contents: StoreContents
  ) throws(EncodingError) -> [EncodedFile] {
    try check(contents)
    var vector = [UInt8](repeating: 0, count: MetaInfo.Field.vector.count)
    var payload = self.payload(contents)
    if let key {
      guard let own = self.vector(key, payload),
        let encrypted = PayloadCipher(key, vector: own).encrypting(payload)
      else { throw .noCipher }
      (vector, payload) = (own, encrypted)
    }
    let count = fileCount(payload: payload.count, entries: contents.entries.count)
    guard count <= FileImage.maximumCount else {
      throw .tooLarge(count: count, limit: FileImage.maximumCount)
    }
    var digest = CRC32()
    digest.update(payload.storageSpan, in: payload.indices)
    let meta = MetaInfo(
      digest: digest.value, sequence: sequence, vector: vector,
      actualCount: UInt32(payload.count), hasExpiry: hasExpiry)
    return [
      EncodedFile(.data, at: name, dataFile(payload, count)),
      EncodedFile(.meta, at: name.appending(suffix: FileNames.metaSuffix), metaFile(meta)),
    ]
  }

  /// The size of the expiry time at the end of a value, in bytes.
  static let expiryCount = 4

  /// Returns whether the engine reads a record with a key of `keyCount` and a value of `valueCount`
  /// bytes.
  static func isReadable(key keyCount: Int, value valueCount: Int, isEncrypted: Bool) -> Bool {
    let overhead =
      ByteWriter.varintCount(UInt64(keyCount)) + keyCount
      + ByteWriter.varintCount(UInt64(valueCount))
    return keyCount <= RecordShape.engineKeyLimit
      && (isEncrypted || overhead <= RecordShape.engineOverheadLimit)
  }

  private func check(_ contents: StoreContents) throws(EncodingError) {
    for entry in contents.entries {
      let keyCount = entry.key.bytes.count
      let isReadable = MMKVWriter.isReadable(
        key: keyCount, value: entry.value.count, isEncrypted: key != nil)
      guard isReadable else {
        throw .unreadableEntry(
          key: entry.key,
          reason: "a key of \(keyCount.inBytes) is longer than the engine reads")
      }
    }
  }

  /// Returns the initialization vector of a store with this payload under `key`; `nil` in a build
  /// without ciphers.
  private func vector(_ key: MMKVKey, _ payload: [UInt8]) -> [UInt8]? {
    Cryptography.sha256(Array("kvfsck vector\0".utf8) + key.padded + payload).map {
      Array($0.prefix(MetaInfo.Field.vector.count))
    }
  }

  /// Returns the prefix of a log whose records are the bytes of `span` in `range`.
  private static func prefix(of records: Range<Int>, in span: Span<UInt8>) -> UInt64 {
    var digest = CRC32()
    digest.update(span, in: records)
    return prefixes.lowerBound + UInt64(digest.value) % UInt64(prefixes.count)
  }

  /// Returns whether `range`, the beginning of the log at `log` in `image`, is the prefix that this
  /// writer gives a log with the records that follow.
  static func hasPrefix(_ range: Range<Int>, ofLog log: Range<Int>, in image: FileImage) -> Bool {
    var writer = ByteWriter()
    writer.writeVarint(prefix(of: range.upperBound..<log.upperBound, in: image.storageSpan))
    return writer.bytes == image.bytes(in: range)
  }

  /// Returns the prefix and the records; no bytes for a store without entries, as after `clearAll`.
  private func payload(_ contents: StoreContents) -> [UInt8] {
    guard !contents.entries.isEmpty else { return [] }
    var records = ByteWriter()
    for entry in contents.entries {
      records.writeVarint(UInt64(entry.key.bytes.count))
      records.writeBytes(entry.key.bytes)
      records.writeVarint(UInt64(entry.value.count))
      records.writeBytes(entry.value)
    }
    var writer = ByteWriter()
    writer.writeVarint(Self.prefix(of: records.bytes.indices, in: records.bytes.storageSpan))
    writer.writeBytes(records.bytes)
    return writer.bytes
  }

  /// As MMKV::expandAndWriteBack: leaves room for half as many entries again, and for at least
  /// eight.
  private func fileCount(payload: Int, entries: Int) -> Int {
    let needed = DataHeader.byteCount + payload
    let average = (needed + max(entries, 1) - 1) / max(entries, 1)
    let future = average * max(8, entries / 2)
    var count = page.count
    while needed + future >= count { count *= 2 }
    return count
  }

  private func dataFile(_ payload: [UInt8], _ count: Int) -> [UInt8] {
    var writer = ByteWriter()
    writer.reserve(count)
    writer.writeInteger(UInt32(payload.count), as: .little)
    writer.writeBytes(payload)
    writer.writeZeros(count - writer.count)
    return writer.bytes
  }

  private func metaFile(_ meta: MetaInfo) -> [UInt8] {
    var writer = ByteWriter()
    meta.write(to: &writer)
    writer.writeZeros(page.count - writer.count)
    return writer.bytes
  }
}
