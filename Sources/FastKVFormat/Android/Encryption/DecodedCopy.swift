import KVBytes
import KVModel

/// The bytes of one copy of the log, as stored and decrypted.
///
/// A plaintext is shorter than its ciphertext. It is stored at the ciphertext's offset, padded with
/// zeros. So offsets are the same, and equal keys have equal bytes although their ciphertexts
/// differ.
struct DecodedCopy: Sendable {
  /// The lengths of the plaintexts of an encrypted record.
  private struct Opened: Sendable {
    let offset: UInt32
    let keyCount: UInt8
    let contentCount: UInt32
  }

  let role: FileRole
  /// The bytes as stored.
  let stored: FileImage
  /// The decrypted bytes.
  let plain: FileImage
  /// The cipher; `nil` for a plain copy.
  let cipher: DemoCipher?
  /// Whether the copy is encrypted, whether or not a cipher is available.
  let isEncrypted: Bool
  /// The ranges of an encrypted copy that are read separately: the verified log and what follows
  /// it, or else the whole area.
  let parts: [Range<Int>]
  /// The records that were decrypted, in file order.
  private let opened: [Opened]

  /// Creates the copy that is `image`, whose header claims `stated`.
  init(_ image: FileImage, _ stated: CopyClaim, _ cipher: DemoCipher?) {
    let area = stated.area
    let isEmptied = stated.header.isBlank && cipher != nil
    // No checksum covers the header's encryption bit. After a blank header, the whole area is
    // examined.
    let guess = ContentGuess(
      image: image,
      area: isEmptied ? area.range : stated.log?.range ?? area.range, cipher: cipher,
      isStatedEncrypted: stated.header.isEncrypted, isVerified: stated.isVerified && !isEmptied)
    guard guess.isEncrypted else {
      self.init(plain: image, as: area.file)
      return
    }
    var parts = [area.range]
    let verified = stated.isVerified ? stated.log : nil
    if let log = verified {
      // A verified log and what follows it are read separately, so that neither disturbs the other.
      parts = [log.range, log.end..<image.count].filter { !$0.isEmpty }
    }
    self.init(
      encrypted: image, as: area.file, cipher, parts: parts, verified: verified?.range)
  }

  /// Creates a copy that is not encrypted.
  init(plain image: FileImage, as role: FileRole) {
    self.role = role
    stored = image
    plain = image
    cipher = nil
    isEncrypted = false
    parts = []
    opened = []
  }

  /// Creates an encrypted copy whose records are in `parts`; a checksum matches over `verified`.
  ///
  /// Without a cipher, nothing is decrypted.
  ///
  /// - Complexity: O(count of bytes in `parts`).
  init(
    encrypted image: FileImage, as role: FileRole, _ cipher: DemoCipher?,
    parts: [Range<Int>], verified: Range<Int>? = nil
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
      let gaps =
        part == verified && Self.isChain(part, in: image)
        ? []
        : AndroidGrammar(image, role, AndroidPlausibility(isEncrypted: true, cipher: cipher))
          .gaps(in: part)
      for shape in AndroidShapes(image, in: part, around: gaps) {
        guard let record = DecodedCopy.open(shape, image, cipher, into: &bytes) else { continue }
        opened.append(record)
      }
    }
    plain = FileImage(bytes)
    self.opened = opened
  }

  /// The test of whether a record is plausible.
  var test: AndroidPlausibility { AndroidPlausibility(isEncrypted: isEncrypted, cipher: cipher) }

  /// The same test of all bytes of a record.
  var fullTest: AndroidPlausibility {
    AndroidPlausibility(isEncrypted: isEncrypted, cipher: cipher, isFull: true)
  }

  /// Returns whether the record at `shape` is plausible in all its bytes.
  func isPlausible(_ shape: AndroidRecordShape) -> Bool {
    fullTest.accepts(shape, stored.storageSpan)
  }

  /// Whether the records can be decrypted or need no decryption.
  var isReadable: Bool { !isEncrypted || cipher != nil }

  /// Returns whether the records of `part` follow one another up to its end, so that there is nothing
  /// to leave out, however implausible they are.
  private static func isChain(_ part: Range<Int>, in image: FileImage) -> Bool {
    var end = part.lowerBound
    for shape in AndroidShapes(image, in: part) { end = shape.range.upperBound }
    return end == part.upperBound
  }

  private static func open(
    _ shape: AndroidRecordShape, _ image: FileImage, _ cipher: DemoCipher,
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

  /// Returns the ranges of a record's key and content in `plain`; `nil` if they could not be
  /// decrypted.
  func ranges(of shape: AndroidRecordShape) -> (key: Range<Int>, content: Range<Int>)? {
    guard isEncrypted else { return (shape.key, shape.content) }
    let offset = UInt32(shape.range.lowerBound)
    let index = opened.partitioningIndex { $0.offset >= offset }
    guard index < opened.count, opened[index].offset == offset else { return nil }
    let key = shape.key.lowerBound..<shape.key.lowerBound + Int(opened[index].keyCount)
    let content =
      shape.content.lowerBound..<shape.content.lowerBound + Int(opened[index].contentCount)
    guard key.upperBound <= shape.key.upperBound, content.upperBound <= shape.content.upperBound
    else { return nil }
    return (key, content)
  }
}
