extension [UInt8] {
  /// Appends the UTF-8 of `text`.
  ///
  /// Its bytes are in one piece, and copied as such: appending them one by one, or as a sequence of
  /// unknown type, takes several times as long.
  package mutating func append(utf8Of text: String) {
    var text = text
    text.withUTF8 { unsafe append(contentsOf: $0) }
  }

  /// Appends `bytes`.
  package mutating func append(contentsOf bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  /// Appends the hexadecimal digits of `bytes`, two lowercase digits per byte.
  ///
  /// Four bytes at a time: output as JSON has each key and each value so.
  mutating func append(hexadecimalOf bytes: Span<UInt8>) {
    var end = count
    append(contentsOf: repeatElement(0, count: 2 * bytes.count))
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe withUnsafeMutableBytes { text in
        var offset = 0
        while bytes.count - offset >= 4 {
          let four = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
          let digits = Hexadecimal.digits(of: UInt32(littleEndian: four)).littleEndian
          unsafe text.storeBytes(of: digits, toByteOffset: end, as: UInt64.self)
          offset += 4
          end += 8
        }
        while offset < bytes.count {
          let digits = unsafe Hexadecimal.digits(of: UInt32(bytes[offset]))
          unsafe text.storeBytes(
            of: UInt16(truncatingIfNeeded: digits).littleEndian, toByteOffset: end, as: UInt16.self)
          offset += 1
          end += 2
        }
      }
    }
  }
}
