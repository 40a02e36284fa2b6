package import KVBytes

/// Two disk blocks of a file that were stored in each other's place.
package struct BlockExchange: Hashable, Sendable {
  /// The sizes of blocks, in bytes: those of a sector and of a page.
  package static let sizes = [512, 4096]

  /// The offset of the first block in the file.
  package let first: Int
  /// The offset of the second block.
  package let second: Int
  /// The size of each, in bytes.
  package let size: Int

  /// Creates the exchange of two blocks, the first one before the second.
  package init(_ first: Int, _ second: Int, size: Int) {
    self.first = first
    self.second = second
    self.size = size
  }

  /// Returns the changes that put both blocks of `image`, the bytes of `file`, back, in file order.
  package func changes(_ image: FileImage, of file: FileRole) -> [ByteChange] {
    let masks = (0..<size).map { image[first + $0] ^ image[second + $0] }
    return [first, second].flatMap { start in
      masks.enumerated().compactMap { offset, mask in
        mask == 0 ? nil : ByteChange(file, at: start + offset, xor: mask)
      }
    }
  }
}
