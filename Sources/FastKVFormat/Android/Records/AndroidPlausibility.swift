import KVBytes

/// A test of whether a record that decodes is plausible.
struct AndroidPlausibility: Sendable {
  private let image: FileImage
  private let isEncrypted: Bool
  private let cipher: DemoCipher?

  /// Creates a test of plain records.
  init(_ image: FileImage) {
    self.image = image
    isEncrypted = false
    cipher = nil
  }

  /// Creates a test of encrypted records; without a cipher only booleans and lengths can be judged.
  init(_ image: FileImage, encryptedBy cipher: DemoCipher?) {
    self.image = image
    isEncrypted = true
    self.cipher = cipher
  }

  /// Creates a test of the records of `copy`.
  init(_ copy: DecodedCopy) {
    image = copy.stored
    isEncrypted = copy.isEncrypted
    cipher = copy.cipher
  }

  /// The most bytes of a text that are examined, as a record is judged many times after sync is
  /// lost.
  private static let sampleCount = 256

  /// Returns whether the record is plausible.
  func accepts(_ shape: AndroidRecordShape) -> Bool { hasFitKey(shape) && hasFitValue(shape) }

  /// Returns whether the key is text, or could be encrypted text.
  func hasFitKey(_ shape: AndroidRecordShape) -> Bool {
    guard isEncrypted else { return AndroidText.form(image.storageSpan, shape.key) == .plain }
    guard let cipher else { return isBlocks(shape.key.count) }
    guard cipher.isPossible(ciphertextCount: shape.key.count),
      let key = cipher.decrypt(image.bytes(in: shape.key))
    else { return false }
    return AndroidText.form(key.storageSpan, key.indices) == .plain
  }

  /// Returns whether the value has a form that the engine's API can produce.
  func hasFitValue(_ shape: AndroidRecordShape) -> Bool {
    // Only texts, data and objects are in files of their own; the letters A to E look like the types
    // of others with that bit.
    if shape.type.fixedCount != nil, shape.hasExternalBit { return false }
    if shape.type == .boolean { return image[shape.content.lowerBound] <= 1 }
    if shape.type.fixedCount != nil { return true }
    if shape.isExternal {
      return shape.content.count == AndroidRecordShape.externalNameCount
        && shape.content.allSatisfy { ExternalName.isDigit(image[$0]) }
    }
    // The engine uses a large type only from 65,535 bytes on.
    if shape.type.lengthCount == 4, shape.content.count < Int(UInt16.max) { return false }
    guard isEncrypted else {
      return hasFitContent(image.storageSpan, shape.content, shape.type.base)
    }
    if shape.content.isEmpty { return shape.type.base == .string }
    guard let cipher else { return isBlocks(shape.content.count) }
    guard let content = cipher.decrypt(image.bytes(in: shape.content)) else { return false }
    return hasFitContent(content.storageSpan, content.indices, shape.type.base)
  }

  private func hasFitContent(
    _ bytes: Span<UInt8>, _ content: Range<Int>, _ type: AndroidValueType
  ) -> Bool {
    switch type {
    case .string:
      let sample = content.prefix(Self.sampleCount)
      return AndroidText.form(bytes, sample, within: content.upperBound) != .malformed
    case .object: return ObjectTag.end(bytes, content) != nil
    default: return true
    }
  }

  private func isBlocks(_ count: Int) -> Bool { count >= 20 && count % 16 == 4 }
}
