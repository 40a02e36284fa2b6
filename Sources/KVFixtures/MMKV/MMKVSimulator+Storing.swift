import KVBytes
import KVCryptography
import MMKVFormat

/// Storing bytes in the data file and the meta file.
extension MMKVSimulator {
  /// Stores a record at the end of the log in the clear, and encrypts it in place.
  mutating func store(_ record: MMKVRecord, at offset: Int) {
    var position = offset
    for piece in record.pieces {
      storePayload(piece, at: position)
      position += piece.count
    }
    plain += record.bytes
    encrypt(offset..<position)
  }

  /// Stores a new prefix in the clear, and encrypts it in place.
  mutating func storePrefix() {
    let prefix = self.prefix()
    storePayload(prefix, at: 0)
    plain = prefix + plain.dropFirst(DataLayout.prefixCount)
    encrypt(0..<DataLayout.prefixCount)
  }

  /// Returns a new prefix: a random number that takes four bytes, which readers skip.
  mutating func prefix() -> [UInt8] {
    var writer = ByteWriter()
    writer.writeVarint(UInt64(randomness.number(in: DataLayout.prefixes)))
    return writer.bytes
  }

  /// Stores bytes at an offset of the payload.
  mutating func storePayload(_ bytes: [UInt8], at offset: Int) {
    disk.store(bytes, in: dataName, at: DataLayout.headerCount + offset)
  }

  /// Encrypts a range of the payload in place, if there is a key.
  mutating func encrypt(_ range: Range<Int>) {
    if let bytes = ciphertext(of: range) { storePayload(bytes, at: range.lowerBound) }
  }

  /// Returns the ciphertext of a range of the payload, or `nil` if there is no key.
  ///
  /// The payload is one stream, in which the state of the cipher is the preceding block of
  /// ciphertext.
  func ciphertext(of range: Range<Int>) -> [UInt8]? {
    guard let key else { return nil }
    let block = Cryptography.blockCount
    let start = range.lowerBound / block * block
    let stored = disk.bytes(of: dataName)
    let before = DataLayout.headerCount + start
    let vector = start == 0 ? meta.vector : Array(stored[before - block..<before])
    let padded = MMKVKey(key.bytes, isAES256: key.isAES256).padded
    return Cryptography.encryptCFB(
      Array(plain[start..<range.upperBound]), key: padded, iv: vector
    ).map { Array($0.dropFirst(range.lowerBound - start)) }
  }

  /// Returns the checksum of the first `count` stored bytes of the payload.
  func digest(of count: Int) -> UInt32 {
    let stored = disk.bytes(of: dataName)
    var digest = CRC32()
    digest.update(
      stored.storageSpan, in: DataLayout.headerCount..<DataLayout.headerCount + count)
    return digest.value
  }

  /// Updates the meta file: only the two fields that an append changes, or all fields.
  ///
  /// As MMKV::writeActualSize.
  mutating func writeMeta(
    count: Int, digest: UInt32, vector: [UInt8]? = nil, isRewrite: Bool
  ) {
    let isNew = meta.version < MMKVMeta.currentVersion
    meta.version = MMKVMeta.currentVersion
    meta.actualCount = count
    meta.digest = digest
    if let vector { meta.vector = vector }
    if isRewrite {
      meta.sequence += 1
      meta.confirmedCount = count
      meta.confirmedDigest = digest
    }
    guard isNew || isRewrite || vector != nil else {
      disk.storeWord(digest, in: metaName, at: MMKVMeta.digestOffset)
      disk.storeWord(UInt32(count), in: metaName, at: MMKVMeta.actualCountOffset)
      return
    }
    disk.store(meta.bytes, in: metaName, at: 0)
  }
}
