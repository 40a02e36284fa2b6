public import KVBytes

/// A byte that is read as another one than is stored.
public struct ByteChange: Hashable, Sendable {
  /// The file that the byte is in.
  public let file: FileRole
  /// Its offset in the file.
  public let offset: Int
  /// What it is XORed with.
  public let mask: UInt8

  /// A change of the byte at `offset` of `file`.
  public init(_ file: FileRole, at offset: Int, xor mask: UInt8) {
    self.file = file
    self.offset = offset
    self.mask = mask
  }

  /// The bytes that a burst changes, in `file`, in which the covered bytes begin at `start`.
  public static func changes(
    of burst: CRC32Syndrome.Burst, in file: FileRole, from start: Int
  ) -> [ByteChange] {
    (0..<4).compactMap { index in
      let mask = UInt8(truncatingIfNeeded: burst.mask >> (8 * UInt32(index)))
      return mask == 0 ? nil : ByteChange(file, at: start + burst.offset + index, xor: mask)
    }
  }
}

extension FileImage {
  /// The image with those of `changes` that are of `file`.
  ///
  /// - Precondition: Their offsets lie within the image.
  public func applying(_ changes: [ByteChange], of file: FileRole) -> FileImage {
    let own = changes.filter { $0.file == file }
    guard !own.isEmpty else { return self }
    var bytes = self.bytes
    for change in own { bytes[change.offset] ^= change.mask }
    return FileImage(bytes)
  }
}
