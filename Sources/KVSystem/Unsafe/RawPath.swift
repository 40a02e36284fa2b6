import KVBytes
package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Paths are bytes to the system. swift-system's texts replace what is not UTF-8, and a path made of
/// such a text leads elsewhere.
extension FilePath {
  /// The path with these bytes, up to the first that is 0.
  package init(bytes: [UInt8]) {
    self.init(platformString: bytes.prefix { $0 != 0 }.map { CChar(bitPattern: $0) } + [0])
  }

  /// The bytes of the path.
  package var bytes: [UInt8] {
    unsafe withPlatformString { start in
      unsafe Array(UnsafeRawBufferPointer(start: start, count: strlen(start)))
    }
  }

  /// Whether the path is UTF-8, so that its text is the path itself.
  package var isUTF8: Bool { RawText.isUTF8(bytes) }

  /// The bytes of the path as people read it: a member of an archive is `ARCHIVE!MEMBER`.
  package var shownBytes: [UInt8] { MemberPath.shown(bytes) }

  /// The path for people: a byte that is not UTF-8 becomes `\xNN`, and a member of an archive reads
  /// `ARCHIVE!MEMBER`.
  package var text: String { RawText.text(shownBytes) }

  /// The last name of the path for people, as ``text``.
  package var name: String {
    RawText.text(MemberPath.shown(Array(bytes.split(separator: UInt8(ascii: "/")).last ?? [])))
  }

  /// The path with `suffix` after its last name.
  package func appending(suffix: String) -> FilePath { FilePath(bytes: bytes + suffix.utf8) }

  /// The path without `suffix` at its end; `nil` where it does not end in it.
  package func removing(suffix: String) -> FilePath? {
    let own = bytes
    let count = suffix.utf8.count
    guard own.count > count, own.suffix(count).elementsEqual(suffix.utf8) else { return nil }
    return FilePath(bytes: Array(own.dropLast(count)))
  }

  /// The path without symbolic links on the way, as `realpath` says.
  ///
  /// - Throws: When it leads nowhere.
  func resolved() throws(Errno) -> FilePath {
    let found = unsafe withPlatformString { unsafe realpath($0, nil) }
    guard let found = unsafe found else { throw Errno(rawValue: errno) }
    defer { unsafe free(found) }
    return unsafe FilePath(platformString: found)
  }
}
