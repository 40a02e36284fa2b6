import CKVToolkit

/// Texts and bytes between Swift and C.
enum Text {
  /// Returns a copy of `bytes` in memory of its own.
  ///
  /// It begins at an address even if it is empty, and a zero follows, for those who overlook the length.
  static func copy(of bytes: some Collection<UInt8>) -> kvfsck_text {
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count + 1)
    _ = unsafe copy.initialize(fromContentsOf: bytes)
    unsafe copy.initializeElement(at: bytes.count, to: 0)
    let start = unsafe UnsafeRawPointer(copy.baseAddress)?.assumingMemoryBound(to: CChar.self)
    return unsafe kvfsck_text(bytes: start, count: bytes.count)
  }

  /// Frees what ``copy(of:)`` made.
  static func free(_ text: kvfsck_text) {
    unsafe UnsafeMutableRawPointer(mutating: text.bytes)?.deallocate()
  }

  /// Sets the text at `destination`, unless that is null, to a copy of `bytes`; to none if they are
  /// `nil`.
  static func set(
    _ destination: UnsafeMutablePointer<kvfsck_text>?, to bytes: (some Collection<UInt8>)?
  ) {
    guard let destination = unsafe destination else { return }
    unsafe destination.pointee = bytes.map { unsafe copy(of: $0) } ?? kvfsck_text()
  }

  /// Returns the `count` bytes at `start`; `nil` if there is no address.
  static func bytes(_ start: UnsafeRawPointer?, _ count: Int) -> [UInt8]? {
    guard let start = unsafe start, count >= 0 else { return nil }
    return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Returns the text of `count` bytes at `start`; `nil` if there is no address, or it is not UTF-8.
  static func text(_ start: UnsafeRawPointer?, _ count: Int) -> String? {
    unsafe bytes(start, count).flatMap { String(validating: $0, as: UTF8.self) }
  }
}
