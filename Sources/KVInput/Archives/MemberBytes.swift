import KVBytes

/// The bytes of a member of an archive, kept in memory without the zeros at their end.
///
/// Stores are mostly zeros, so an archive with many of them need not be read a second time.
struct MemberBytes: Sendable {
  private let stored: FileImage
  private let count: Int

  /// Keeps `bytes`.
  init(_ bytes: [UInt8]) {
    count = bytes.count
    let image = FileImage(bytes)
    let end = image.lastNonzero(in: image.range).map { $0 + 1 } ?? 0
    // A copy is made only if it saves much.
    stored = end < count - count / 8 ? FileImage(image.bytes(in: 0..<end)) : image
  }

  /// The number of bytes that are in memory.
  var storedCount: Int { stored.count }

  /// All bytes.
  var image: FileImage { stored.zeroExtended(to: count) }
}
