import CZlib

/// Compression with zlib.
package enum Deflate {
  /// zlib's level of effort: the usual one takes half as long again, for one byte in a hundred less.
  private static let level: CInt = 4

  /// Returns `bytes` compressed as a zlib stream.
  ///
  /// - Complexity: O(`bytes.count`), at about 100 MB a second.
  package static func packed(_ bytes: [UInt8]) -> [UInt8] {
    let bound = Int(compressBound(uLong(bytes.count)))
    return unsafe [UInt8](unsafeUninitializedCapacity: bound) { output, filled in
      var count = uLongf(bound)
      let status = unsafe bytes.withUnsafeBufferPointer { input in
        unsafe compress2(
          output.baseAddress, &count, input.baseAddress, uLong(bytes.count), level)
      }
      precondition(status == Z_OK, "zlib has no memory")
      filled = Int(count)
    }
  }
}
