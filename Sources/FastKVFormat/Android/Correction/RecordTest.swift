import KVBytes

/// A test of whether a record is plausible in all its bytes.
///
/// This is stricter than ``AndroidPlausibility``, which serves to read past damage. Here a record
/// decides whether bytes may be changed, so everything that can be checked is checked.
struct RecordTest: Sendable {
  let isEncrypted: Bool
  let cipher: DemoCipher?

  /// Returns whether the record at `shape` of `bytes` is plausible.
  ///
  /// - Complexity: O(count of the record).
  func passes(_ shape: AndroidRecordShape, _ bytes: Span<UInt8>) -> Bool {
    guard let key = opened(bytes, shape.key),
      AndroidText.form(key.storageSpan, key.indices) == .plain
    else { return false }
    if shape.type == .boolean { return bytes[shape.content.lowerBound] <= 1 }
    if shape.type.fixedCount != nil { return true }
    if shape.info & 0x40 != 0 {
      return shape.content.count == AndroidRecordShape.externalNameCount
        && shape.content.allSatisfy { ExternalName.isDigit(bytes[$0]) }
    }
    let isLarge = shape.type.lengthCount == 4
    if isLarge != (shape.content.count >= Int(UInt16.max)) { return false }
    if shape.content.isEmpty { return shape.type.base != .object }
    guard let content = opened(bytes, shape.content) else { return false }
    switch shape.type.base {
    case .string:
      switch AndroidText.form(content.storageSpan, content.indices) {
      case .plain, .odd: return true
      // The engine accepts U+0000 in a long text.
      case .withNUL: return content.count > AndroidText.strictLimit
      case .malformed: return false
      }
    case .object:
      guard let end = ObjectTag.end(content.storageSpan, content.indices),
        AndroidText.form(content.storageSpan, 1..<end) == .plain
      else { return false }
      return !StringSetTag.isTag(content.storageSpan, 1..<end)
        || StringSet.elements(content.storageSpan, end..<content.count, isStrict: true) != nil
    default: return true
    }
  }

  private func opened(_ bytes: Span<UInt8>, _ range: Range<Int>) -> [UInt8]? {
    let stored = range.map { bytes[$0] }
    guard isEncrypted else { return stored }
    guard let cipher, cipher.isPossible(ciphertextCount: stored.count) else { return nil }
    return cipher.decrypt(stored)
  }
}
