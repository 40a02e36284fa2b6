/// A replacement for `Array.span`, which Apple's standard library has only since 2025, built from
/// what it has had since 2019, so that apps for older systems can embed the libraries.
extension Array where Element: BitwiseCopyable {
  /// A span over the elements, without copying them; the standard library's `span`.
  ///
  /// - Complexity: O(1).
  public var storageSpan: Span<Element> {
    @inlinable @_lifetime(borrow self)
    get {
      // Both kinds of array share one storage if the elements are not Objective-C objects.
      let shared = ContiguousArray(self)
      return unsafe _overrideLifetime(shared.span, borrowing: self)
    }
  }
}

extension Span where Element == UInt8 {
  /// Returns a copy of the bytes in `range`.
  ///
  /// - Precondition: `range` lies within the span.
  /// - Complexity: O(`range.count`).
  package func bytes(in range: Range<Int>) -> [UInt8] {
    unsafe extracting(range).withUnsafeBufferPointer { unsafe Array($0) }
  }

  /// The bytes decoded as UTF-8; `nil` if they are malformed.
  ///
  /// - Complexity: O(`count`).
  package var text: String? {
    isUTF8 ? unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) } : nil
  }

  /// Whether all bytes are printable ASCII characters: from a space to `~`.
  package var isPrintableASCII: Bool {
    unsafe withUnsafeBytes { bytes in
      var offset = 0
      while bytes.count - offset >= 16 {
        let lanes = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self)
        if (lanes &- 0x20).max() > 0x5e { return false }
        offset += 16
      }
      while offset < bytes.count {
        if unsafe bytes[offset] &- 0x20 > 0x5e { return false }
        offset += 1
      }
      return true
    }
  }

  /// Whether the bytes are well-formed UTF-8.
  package var isUTF8: Bool {
    var offset = 0
    while offset < count {
      if count - offset >= 8,
        unsafe withUnsafeBytes({ bytes in
          unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        }) & 0x8080_8080_8080_8080 == 0
      {
        offset += 8
        continue
      }
      let length = utf8Count(at: offset, limit: count)
      if length == 0 { return false }
      offset += length
    }
    return true
  }
}

extension String {
  /// Passes the text's UTF-8 to `body`.
  package func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    var text = self
    return text.withUTF8 { unsafe body($0.span) }
  }

  /// Creates a string from UTF-8; `nil` if the bytes are malformed.
  ///
  /// - Complexity: O(`bytes.count`).
  package init?(utf8 bytes: [UInt8]) {
    guard let text = bytes.storageSpan.text else { return nil }
    self = text
  }

  /// Creates a string from UTF-8; `nil` if the bytes are malformed.
  ///
  /// - Complexity: O(*n*), where *n* is the number of bytes.
  package init?(utf8 bytes: some Sequence<UInt8>) { self.init(utf8: Array(bytes)) }

  /// Creates a string from UTF-16; `nil` if a surrogate is unpaired.
  ///
  /// - Complexity: O(*n*), where *n* is the number of units.
  package init?(utf16 units: some Sequence<UInt16>) {
    var bytes: [UInt8] = []
    let hasError = transcode(
      units.makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: true
    ) { bytes.append($0) }
    if hasError { return nil }
    self.init(utf8: bytes)
  }
}
