import KVBytes

/// A test of whether a record is plausible.
struct RecordTest: Sendable {
  /// The most bytes of a text that are examined, as a record is judged many times after sync is
  /// lost.
  private static let sampleCount = 256

  /// The test of plain records.
  static let plain = RecordTest(isEncrypted: false, cipher: nil)

  let isEncrypted: Bool
  /// The cipher; without one, only booleans and lengths of encrypted records can be judged.
  let cipher: (any FastKVCipher)?

  /// Returns whether the record at `shape` of `bytes` is plausible enough to read on with it past
  /// damage.
  func accepts(_ shape: AndroidRecordShape, _ bytes: Span<UInt8>) -> Bool {
    hasFitKey(shape, bytes) && hasFitValue(shape, bytes)
  }

  /// Returns whether the record at `shape` of `bytes` is plausible in all its bytes, so that they may
  /// be changed to make it so.
  ///
  /// - Complexity: O(count of the record).
  func passes(_ shape: AndroidRecordShape, _ bytes: Span<UInt8>) -> Bool {
    !(isEncrypted && cipher == nil) && hasFitKey(shape, bytes)
      && hasFitValue(shape, bytes, isStrict: true)
  }

  /// Returns whether the key is text, or could be encrypted text.
  func hasFitKey(_ shape: AndroidRecordShape, _ bytes: Span<UInt8>) -> Bool {
    if isEncrypted, cipher == nil { return Self.areBlocks(shape.key.count) }
    return opens(shape.key, of: bytes) { AndroidText.form($0, $1) == .plain }
  }

  /// Returns whether the value has a form that the engine's API can produce.
  func hasFitValue(
    _ shape: AndroidRecordShape, _ bytes: Span<UInt8>, isStrict: Bool = false
  ) -> Bool {
    let (content, type) = (shape.content, shape.type.base)
    if shape.type.fixedCount != nil {
      // Only texts, data and objects are in files of their own; the letters A to E look like the types
      // of others with that bit.
      return !shape.hasExternalBit && (type != .boolean || bytes[content.lowerBound] <= 1)
    }
    if shape.isExternal {
      return content.count == AndroidRecordShape.externalNameCount
        && content.allSatisfy { ExternalName.isDigit(bytes[$0]) }
    }
    // The engine uses a large type only from 65,535 bytes on.
    if (shape.type.lengthCount == 4) != (content.count >= Int(UInt16.max)) { return false }
    if content.isEmpty { return type == .string || !isEncrypted && type == .array }
    if isEncrypted, cipher == nil { return Self.areBlocks(content.count) }
    return opens(content, of: bytes) { Self.isFit($0, $1, type, isStrict: isStrict) }
  }

  private static func isFit(
    _ bytes: Span<UInt8>, _ content: Range<Int>, _ type: AndroidValueType, isStrict: Bool
  ) -> Bool {
    switch type {
    case .string:
      let sample = isStrict ? content : content.prefix(sampleCount)
      let form = AndroidText.form(bytes, sample, within: content.upperBound)
      // The engine accepts U+0000 in a long text.
      return form != .malformed
        && (!isStrict || form != .withNUL || content.count > AndroidText.strictLimit)
    case .object:
      guard let end = ObjectTag.end(bytes, content) else { return false }
      let tag = content.lowerBound + 1..<end
      return !isStrict
        || AndroidText.form(bytes, tag) == .plain
          && (!StringSetTag.isTag(bytes, tag)
            || StringSet.elements(bytes, end..<content.upperBound, isStrict: true) != nil)
    default: return true
    }
  }

  /// Returns whether the bytes in `range` can be decrypted, or are plain, and pass `test`.
  private func opens(
    _ range: Range<Int>, of bytes: Span<UInt8>, _ test: (Span<UInt8>, Range<Int>) -> Bool
  ) -> Bool {
    guard isEncrypted else { return test(bytes, range) }
    guard let cipher, cipher.isPossible(ciphertextCount: range.count),
      let plain = cipher.decrypt(range.map { bytes[$0] })
    else { return false }
    return test(plain.storageSpan, plain.indices)
  }

  private static func areBlocks(_ count: Int) -> Bool { count >= 20 && count % 16 == 4 }
}
