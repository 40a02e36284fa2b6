import KVBytes

/// A test of whether a record that decodes is plausible.
struct AndroidPlausibility: Sendable {
  let isEncrypted: Bool
  /// The cipher; without one, only booleans and lengths of encrypted records can be judged.
  let cipher: DemoCipher?

  /// Whether all bytes are examined, where a record decides what is believed about others.
  var isFull = false

  /// The most bytes of a text that are examined otherwise, as a record is judged many times after
  /// sync is lost.
  private static let sampleCount = 256

  /// Returns whether the record at `shape` of `bytes` is plausible.
  func accepts(_ shape: AndroidRecordShape, _ bytes: Span<UInt8>) -> Bool {
    hasFitKey(shape, bytes) && hasFitValue(shape, bytes)
  }

  /// Returns whether the key is text, or could be encrypted text.
  func hasFitKey(_ shape: AndroidRecordShape, _ bytes: Span<UInt8>) -> Bool {
    guard isEncrypted else { return AndroidText.form(bytes, shape.key) == .plain }
    guard let cipher else { return isBlocks(shape.key.count) }
    guard let key = cipher.decrypt(shape.key.map { bytes[$0] }) else { return false }
    return AndroidText.form(key.storageSpan, key.indices) == .plain
  }

  /// Returns whether the value has a form that the engine's API can produce.
  func hasFitValue(_ shape: AndroidRecordShape, _ bytes: Span<UInt8>) -> Bool {
    // Only texts, data and objects are in files of their own; the letters A to E look like the types
    // of others with that bit.
    if shape.type.fixedCount != nil, shape.hasExternalBit { return false }
    if shape.type == .boolean { return bytes[shape.content.lowerBound] <= 1 }
    if shape.type.fixedCount != nil { return true }
    if shape.isExternal {
      return shape.content.count == AndroidRecordShape.externalNameCount
        && shape.content.allSatisfy { ExternalName.isDigit(bytes[$0]) }
    }
    // The engine uses a large type only from 65,535 bytes on.
    if shape.type.lengthCount == 4, shape.content.count < Int(UInt16.max) { return false }
    guard isEncrypted else { return hasFitContent(bytes, shape.content, shape.type.base) }
    if shape.content.isEmpty { return shape.type.base == .string }
    guard let cipher else { return isBlocks(shape.content.count) }
    guard let content = cipher.decrypt(shape.content.map { bytes[$0] }) else { return false }
    return hasFitContent(content.storageSpan, content.indices, shape.type.base)
  }

  private func hasFitContent(
    _ bytes: Span<UInt8>, _ content: Range<Int>, _ type: AndroidValueType
  ) -> Bool {
    switch type {
    case .string:
      let sample = isFull ? content : content.prefix(Self.sampleCount)
      let form = AndroidText.form(bytes, sample, within: content.upperBound)
      // The engine accepts U+0000 in a long text.
      return form != .malformed
        && !(isFull && form == .withNUL && content.count <= AndroidText.strictLimit)
    case .object:
      guard let end = ObjectTag.end(bytes, content) else { return false }
      let tag = content.lowerBound + 1..<end
      return !isFull
        || AndroidText.form(bytes, tag) == .plain
          && (!StringSetTag.isTag(bytes, tag)
            || StringSet.elements(bytes, end..<content.upperBound, isStrict: true) != nil)
    default: return true
    }
  }

  private func isBlocks(_ count: Int) -> Bool { count >= 20 && count % 16 == 4 }
}
