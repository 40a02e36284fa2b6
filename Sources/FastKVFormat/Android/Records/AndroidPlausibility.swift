import KVBytes

/// How much a record that decodes looks like one that an app wrote.
struct AndroidPlausibility: Sendable {
  private let image: FileImage
  private let isEncrypted: Bool
  private let cipher: (any FastKVCipher)?

  /// For records in the clear.
  init(_ image: FileImage) {
    self.image = image
    isEncrypted = false
    cipher = nil
  }

  /// For encrypted records; without a cipher only booleans and lengths can be judged.
  init(_ image: FileImage, encryptedBy cipher: (any FastKVCipher)?) {
    self.image = image
    isEncrypted = true
    self.cipher = cipher
  }

  /// For the records of `copy`.
  init(_ copy: DecodedCopy) {
    image = copy.stored
    isEncrypted = copy.isEncrypted
    cipher = copy.cipher
  }

  /// How many bytes of a text are looked at: a record is judged many times while sync is lost.
  private static let sampleCount = 256

  /// Whether the record could well be what an app wrote.
  func accepts(_ shape: AndroidRecordShape) -> Bool { hasFitKey(shape) && hasFitValue(shape) }

  /// Whether the key is text.
  func hasFitKey(_ shape: AndroidRecordShape) -> Bool {
    guard isEncrypted else { return AndroidText.form(image.storageSpan, shape.key) == .plain }
    guard let cipher else { return isBlocks(shape.key.count) }
    guard cipher.isPossible(ciphertextCount: shape.key.count),
      let key = cipher.decrypt(image.bytes(in: shape.key))
    else { return false }
    return AndroidText.form(key.storageSpan, key.indices) == .plain
  }

  /// Whether the value has a shape that the engine's API makes.
  func hasFitValue(_ shape: AndroidRecordShape) -> Bool {
    if shape.type == .boolean { return image[shape.content.lowerBound] <= 1 }
    if shape.type.fixedCount != nil { return true }
    if shape.isExternal {
      return shape.content.count == AndroidRecordShape.externalNameCount
        && shape.content.allSatisfy { ExternalName.isDigit(image[$0]) }
    }
    // Whoever writes 64 KiB and more has the large type for it.
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
