import CCipher
import KVBytes

/// AES in cipher feedback mode, decrypted several blocks at a time, on processors with instructions
/// for it.
enum ParallelCFB {
  /// Decrypts `bytes`, of which the first `clearCount` are not encrypted.
  ///
  /// - Returns: `nil` if the processor cannot do it, or if the key does not have 16 or 32 bytes.
  /// - Precondition: The vector has 16 bytes.
  static func decrypt(
    _ bytes: [UInt8], after clearCount: Int, key: [UInt8], iv: [UInt8]
  ) -> [UInt8]? {
    precondition(iv.count == Cryptography.blockCount && clearCount >= 0)
    guard kvfsck_cfb_decrypts(key.count) else { return nil }
    let clearCount = min(clearCount, bytes.count)
    return unsafe bytes.withUnsafeBufferPointer { buffer in
      nonisolated(unsafe) let source = unsafe buffer
      return unsafe [UInt8](inLargePages: bytes.count) { part, range in
        let clear = range.clamped(to: 0..<clearCount)
        unsafe part.copyBytes(from: source[clear])
        let cipher = range.clamped(to: clearCount..<bytes.count)
        guard !cipher.isEmpty, let start = unsafe source.baseAddress,
          let output = part.baseAddress
        else { return range.count }
        unsafe kvfsck_cfb_decrypt(
          key, key.count, iv, start + clearCount, cipher.lowerBound - clearCount,
          cipher.upperBound - clearCount,
          (output + clear.count).assumingMemoryBound(to: UInt8.self))
        return range.count
      }
    }
  }
}
