import KVBytes
import KVModel

/// The bytes of one copy of the log, as stored and with the cipher taken off.
///
/// A plaintext is shorter than its ciphertext and stands where that begins; zeros fill the rest. So
/// offsets are the same, and equal keys have equal bytes although their ciphertexts differ.
struct DecodedCopy: Sendable {
  /// How long the plaintexts of an encrypted record are.
  private struct Opened: Sendable {
    let offset: UInt32
    let keyCount: UInt8
    let contentCount: UInt32
  }

  let role: FileRole
  /// The bytes as stored.
  let stored: FileImage
  /// The bytes with the cipher taken off.
  let plain: FileImage
  /// The cipher; `nil` for a plain copy.
  let cipher: (any FastKVCipher)?
  /// Whether the copy is encrypted, with or without a cipher at hand.
  let isEncrypted: Bool
  /// What of an encrypted copy is read for itself: the log, if it is verified, and what is after it, or both
  /// together.
  let parts: [Range<Int>]
  /// The records that could be decrypted, in file order.
  private let opened: [Opened]

  /// The copy that is `image`, of which its header says what `stated` has.
  init(_ image: FileImage, _ stated: CopyClaim, _ cipher: (any FastKVCipher)?) {
    let area = stated.area
    let isEmptied = stated.header.isBlank && cipher != nil
    // Not by the header alone: no checksum covers its bit. After a blank header all is looked at.
    let guess = ContentGuess(
      image: image, role: area.file,
      area: isEmptied ? area.range : stated.log?.range ?? area.range, cipher: cipher,
      isStatedEncrypted: stated.header.isEncrypted, isVerified: stated.isVerified && !isEmptied)
    guard guess.isEncrypted else {
      self.init(plain: image, as: area.file)
      return
    }
    var parts = [area.range]
    if let log = stated.log, stated.isVerified {
      // A whole log and what is after it are read apart, so that neither disturbs the other.
      parts = [log.range, log.end..<image.count].filter { !$0.isEmpty }
    }
    self.init(encrypted: image, as: area.file, cipher, parts: parts)
  }

  /// A copy that is not encrypted.
  init(plain image: FileImage, as role: FileRole) {
    self.role = role
    stored = image
    plain = image
    cipher = nil
    isEncrypted = false
    parts = []
    opened = []
  }

  /// An encrypted copy whose records are in `parts`; it has no contents without a cipher.
  ///
  /// - Complexity: O(count of bytes in `parts`).
  init(
    encrypted image: FileImage, as role: FileRole, _ cipher: (any FastKVCipher)?,
    parts: [Range<Int>]
  ) {
    self.role = role
    stored = image
    self.cipher = cipher
    self.parts = parts
    isEncrypted = true
    guard let cipher else {
      plain = image
      opened = []
      return
    }
    var bytes = image.bytes
    var opened: [Opened] = []
    for part in parts {
      let gaps = AndroidGrammar(image, role, AndroidPlausibility(image, encryptedBy: cipher))
        .gaps(in: part)
      for shape in AndroidShapes(image, in: part, around: gaps) {
        guard let record = DecodedCopy.open(shape, image, cipher, into: &bytes) else { continue }
        opened.append(record)
      }
    }
    plain = FileImage(bytes)
    self.opened = opened
  }

  /// Whether there is what it takes to read the records.
  var isReadable: Bool { !isEncrypted || cipher != nil }

  private static func open(
    _ shape: AndroidRecordShape, _ image: FileImage, _ cipher: any FastKVCipher,
    into bytes: inout [UInt8]
  ) -> Opened? {
    guard let key = cipher.decrypt(image.bytes(in: shape.key)), key.count <= shape.key.count else {
      return nil
    }
    var content = image.bytes(in: shape.content)
    if shape.type.fixedCount != nil {
      if shape.type != .boolean { content = cipher.decryptNumber(content) }
    } else if !shape.isExternal, !(content.isEmpty && shape.type.base == .string) {
      guard let plain = cipher.decrypt(content), plain.count <= content.count else { return nil }
      content = plain
    }
    func put(_ new: [UInt8], in range: Range<Int>) {
      for index in range {
        let position = index - range.lowerBound
        bytes[index] = position < new.count ? new[position] : 0
      }
    }
    put(key, in: shape.key)
    put(content, in: shape.content)
    return Opened(
      offset: UInt32(shape.range.lowerBound), keyCount: UInt8(key.count),
      contentCount: UInt32(content.count))
  }

  /// Where key and content of a record are in `plain`; `nil` where they could not be decrypted.
  func ranges(of shape: AndroidRecordShape) -> (key: Range<Int>, content: Range<Int>)? {
    guard isEncrypted else { return (shape.key, shape.content) }
    let offset = UInt32(shape.range.lowerBound)
    var low = 0
    var high = opened.count
    while low < high {
      let middle = (low + high) / 2
      if opened[middle].offset < offset { low = middle + 1 } else { high = middle }
    }
    guard low < opened.count, opened[low].offset == offset else { return nil }
    let key = shape.key.lowerBound..<shape.key.lowerBound + Int(opened[low].keyCount)
    let content =
      shape.content.lowerBound..<shape.content.lowerBound + Int(opened[low].contentCount)
    guard key.upperBound <= shape.key.upperBound, content.upperBound <= shape.content.upperBound
    else { return nil }
    return (key, content)
  }
}
