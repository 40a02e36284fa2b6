import CZlib

/// A zlib or gzip stream that is decompressed piece by piece with zlib's `inflate`.
///
/// If the stream is damaged or truncated, the bytes before that place are still decompressed.
@safe package final class Inflater {
  // A class, because zlib keeps the address of its state, which has to be freed.

  /// The result of a call to ``unpack(_:from:atMost:)``.
  package struct Piece {
    /// The decompressed bytes.
    package let bytes: [UInt8]
    /// The number of compressed bytes that were consumed.
    package let usedCount: Int
    /// Whether the end of the stream was reached.
    package let isEnd: Bool
    /// Why decompression failed; `nil` if it can go on.
    package let damage: String?
  }

  /// Allocated and initialized in `init`, at this address until `deinit`, and touched only here.
  private let stream: UnsafeMutablePointer<z_stream>

  /// Creates an inflater that detects from the header whether its stream is zlib or gzip.
  package init() {
    unsafe stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    // 15 is the largest window; adding 32 turns on header detection.
    let status = unsafe inflateInit2_(
      stream, 15 + 32, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    precondition(status == Z_OK, "zlib has no memory, or is of another version")
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Starts a new stream; gzip files can be concatenated.
  package func reset() { unsafe inflateReset(stream) }

  /// Decompresses `packed` from offset `start`, producing at most `count` bytes.
  ///
  /// - Precondition: `start` is within `packed` or at its end, and `count` is positive.
  package func unpack(_ packed: [UInt8], from start: Int, atMost count: Int) -> Piece {
    precondition(start >= 0 && start <= packed.count && count > 0)
    var status = Z_OK
    var usedCount = 0
    let available = min(packed.count - start, Int(Int32.max))
    let room = min(count, Int(Int32.max))
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: room) { output, filled in
      unsafe packed.withUnsafeBufferPointer { input in
        // zlib reads from `next_in` and does not write to it.
        unsafe stream.pointee.next_in = UnsafeMutablePointer(
          mutating: input.baseAddress.map { unsafe $0 + start })
        unsafe stream.pointee.avail_in = UInt32(available)
        unsafe stream.pointee.next_out = output.baseAddress
        unsafe stream.pointee.avail_out = UInt32(room)
        status = unsafe inflate(stream, Z_NO_FLUSH)
        usedCount = available - Int(unsafe stream.pointee.avail_in)
        filled = room - Int(unsafe stream.pointee.avail_out)
        unsafe stream.pointee.next_in = nil
        unsafe stream.pointee.next_out = nil
      }
    }
    let isGood = [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(status)
    return Piece(
      bytes: bytes, usedCount: usedCount, isEnd: status == Z_STREAM_END,
      damage: isGood ? nil : message)
  }

  private var message: String {
    guard let text = unsafe stream.pointee.msg else { return "it cannot be unpacked" }
    return unsafe String(cString: text)
  }
}
