package import KVBytes
import KVSystem
package import SystemPackage

/// Archives whose first bytes are damaged, or follow other bytes.
extension ArchiveKind {
  /// The number of bytes that are searched at a time for a TAR header, and in total.
  private static let (searchCount, searchLimit) = (1 << 16, 1 << 28)

  /// Recognizes the archive at `path` by its name and by what does not lie at its start.
  ///
  /// That is the directory of a ZIP archive, and a header in the first 256 MiB of a TAR archive. For a
  /// file on disk, `image` returns `nil`.
  init?(named path: FilePath, _ image: () throws(FileError) -> FileImage?) {
    // What cannot be read is reported as any other file that cannot be.
    guard Self.isNamed(path), let image = try? image().map(ArchiveBytes.image) ?? .file(path),
      let input = try? ArchiveInput(image, .tar, nil)
    else { return nil }
    if Self.hasSuffix([".zip"], path), ZIPDirectory(input)?.isEmpty == false {
      self = .zip
    } else if Self.hasSuffix([".tar"], path), Self.hasHeader(input) {
      self = .tar
    } else {
      return nil
    }
  }

  /// Returns why the file at `path`, which begins with `head` and is of no known format, is not
  /// searched, although it is named as only archives are; `nil` if it is not named so, or if it is a
  /// TAR archive without members.
  package static func damage(of head: FileImage, at path: FilePath) -> String? {
    guard isNamedOnlyAsArchive(path) else { return nil }
    if head.count == 0 { return "it is named like an archive, but is empty" }
    let mayHaveOnlyEnd = hasSuffix([".tar"], path) && head.isZero(in: head.range)
    if mayHaveOnlyEnd { return nil }
    return "it is named like an archive, but is not one, or its start is damaged: "
      + "nothing in it is searched"
  }

  private static func hasHeader(_ input: ArchiveInput) -> Bool {
    var offset = 0
    while offset < searchLimit {
      let bytes = input.bytes(at: offset, count: searchCount)
      guard bytes.count >= tarCount, !Deadline.hasPassed else { return false }
      let ends = stride(from: tarCount, through: bytes.count, by: tarCount)
      if ends.contains(where: { isHeader(bytes[$0 - tarCount..<$0]) }) { return true }
      offset += bytes.count / tarCount * tarCount
    }
    return false
  }

  /// Returns whether `block` is an undamaged TAR header.
  private static func isHeader(_ block: ArraySlice<UInt8>) -> Bool {
    hasTARMagic(block) && hasTARChecksum(block)
  }

  /// Returns whether the TAR header that `block` begins with has its magic.
  static func hasTARMagic(_ block: ArraySlice<UInt8>) -> Bool {
    block.dropFirst(257).starts(with: "ustar".utf8)
  }

  /// Returns whether the checksum of the TAR header `block` matches.
  static func hasTARChecksum(_ block: ArraySlice<UInt8>) -> Bool {
    let place = block.startIndex + 148..<block.startIndex + 156
    let field = block[place].drop { $0 == UInt8(ascii: " ") }
      .prefix { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }
    guard !field.isEmpty, block.first != 0 else { return false }
    let stored = field.reduce(0) { $0 * 8 + Int($1 - UInt8(ascii: "0")) }
    let other = block.reduce(0) { $0 + Int($1) } - block[place].reduce(0) { $0 + Int($1) }
    return other + place.count * Int(UInt8(ascii: " ")) == stored
  }
}
