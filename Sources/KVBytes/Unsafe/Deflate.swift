import CZlib

/// Packing, as zlib does it.
package enum Deflate {
  /// Returns `bytes` as a stream of zlib.
  ///
  /// - Complexity: O(count), some 40 MB a second.
  package static func packed(_ bytes: [UInt8]) -> [UInt8] {
    let bound = Int(compressBound(uLong(bytes.count)))
    return unsafe [UInt8](unsafeUninitializedCapacity: bound) { output, filled in
      var count = uLongf(bound)
      let status = unsafe bytes.withUnsafeBufferPointer { input in
        unsafe compress2(
          output.baseAddress, &count, input.baseAddress, uLong(bytes.count),
          Z_DEFAULT_COMPRESSION)
      }
      precondition(status == Z_OK, "zlib has no memory")
      filled = Int(count)
    }
  }
}
