import KVBytes
package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Conversions between paths and bytes. The strings of swift-system replace bytes that are not
/// UTF-8, and a path made from such a string names another file.
extension FilePath {
  /// Creates a path from `bytes`, up to the first zero byte.
  package init(bytes: [UInt8]) {
    let terminated = bytes + [0]
    self = unsafe terminated.withUnsafeBufferPointer { buffer in
      unsafe buffer.withMemoryRebound(to: CChar.self) { text in
        unsafe text.baseAddress.map { unsafe FilePath(platformString: $0) } ?? FilePath()
      }
    }
  }

  /// The bytes of the path.
  package var bytes: [UInt8] {
    unsafe withPlatformString { start in
      unsafe Array(UnsafeRawBufferPointer(start: start, count: strlen(start)))
    }
  }

  /// Whether the path is valid UTF-8, so that its text is unambiguous.
  package var isUTF8: Bool { RawText.isUTF8(bytes) }

  /// The bytes of the path as shown to people: a member of an archive is `ARCHIVE!MEMBER`.
  package var shownBytes: [UInt8] { MemberPath.shown(bytes) }

  /// The path as shown to people: a byte that is not UTF-8 becomes `\xNN`, and a member of an
  /// archive is `ARCHIVE!MEMBER`.
  package var text: String { RawText.text(shownBytes) }

  /// The last component of the path, as in ``text``.
  package var name: String {
    RawText.text(MemberPath.shown(Array(bytes.split(separator: UInt8(ascii: "/")).last ?? [])))
  }

  /// The last component as a path, with its bytes as they are; `nil` if there is none.
  package var lastName: FilePath? {
    let name = bytes.split(separator: UInt8(ascii: "/")).last
    return name.map { FilePath(bytes: Array($0)) }
  }

  /// The path without its last component: empty if it has one alone, and itself if it is a root.
  ///
  /// As `removingLastComponent()`, but without generic code, which a small store would wait for.
  package var parent: FilePath {
    let own = bytes
    guard let end = own.lastIndex(of: UInt8(ascii: "/")) else { return FilePath() }
    return FilePath(bytes: Array(own[..<max(1, end)]))
  }

  /// Returns the path with `suffix` appended to its last component.
  package func appending(suffix: String) -> FilePath { FilePath(bytes: bytes + suffix.utf8) }

  /// Returns the path without `suffix` at its end; `nil` if it does not end in it.
  package func removing(suffix: String) -> FilePath? {
    let own = bytes
    let count = suffix.utf8.count
    guard own.count > count, own.suffix(count).elementsEqual(suffix.utf8) else { return nil }
    return FilePath(bytes: Array(own.dropLast(count)))
  }

  /// Returns the path with all symbolic links resolved, as `realpath` does.
  ///
  /// - Throws: If nothing exists at the path.
  func resolved() throws(Errno) -> FilePath {
    let found = unsafe withPlatformString { unsafe realpath($0, nil) }
    guard let found = unsafe found else { throw Errno(rawValue: errno) }
    defer { unsafe free(found) }
    return unsafe FilePath(platformString: found)
  }
}

extension FilePath.Component {
  /// The bytes of the component.
  package var bytes: [UInt8] {
    unsafe withPlatformString { start in
      unsafe Array(UnsafeRawBufferPointer(start: start, count: strlen(start)))
    }
  }
}
