package import KVBytes
import KVSystem

/// The changes that a tool made to all bytes of a file while it copied the file, and that were
/// undone to read it.
package struct CopyDamage: Hashable, Sendable {
  /// What the tool did, for people, in the order in which it was undone.
  package let changes: [String]
  /// The bytes as they were found.
  package let found: FileImage

  /// Creates the damage of a file that was found as `found`.
  package init(_ changes: [String], found: FileImage) {
    self.changes = changes
    self.found = found
  }
}

extension [StoreFile] {
  /// Whether the bytes of a file are read with changes undone that a copy made.
  package var areUndone: Bool { contains { $0.copyDamage != nil } }

  /// The same files with the bytes as they were found.
  package var asFound: [StoreFile] { map(\.asFound) }

  /// The finding about changes that were undone because of `proof`, for people; none if there are
  /// none.
  package func undoneFindings(because proof: String) -> [Finding] {
    let changed = filter { $0.copyDamage != nil }
    guard let first = changed.first, let damage = first.copyDamage else { return [] }
    let others = changed.dropFirst().map(\.path.name)
    return [
      Finding(
        LogFindings.copyUndone, in: first,
        "while this file \(others.isEmpty ? "was" : "and \(others.joined(separator: ", ")) were") "
          + "copied, \(damage.changes.joined(separator: ", and "))"
          + ". With that undone, \(proof), so the store is read that way: offsets refer to its "
          + "\(first.image.count.grouped) bytes, not to the \(damage.found.count.grouped) of the copy. "
          + "Copy it again without changing bytes, as adb pull and adb exec-out do")
    ]
  }

  /// The findings about changes that a copy seems to have made, and that are not undone: nothing
  /// proves what the bytes were.
  ///
  /// Look for them only if no checksum matches, or the files are damaged.
  package var suspectedCopyFindings: [Finding] {
    guard !areUndone else { return [] }
    let signs = read.lazy.compactMap { file in
      CopySign(of: file.image).map { (file: file, sign: $0) }
    }
    return signs.first.map { [$0.sign.finding(in: $0.file)] } ?? []
  }
}

/// What the bytes of a damaged file show about how it was copied.
package enum CopySign: Hashable, Sendable {
  /// Each byte that is not UTF-8 was replaced by U+FFFD, the replacement character.
  case decoded(placeCount: Int)
  /// The highest bit of each byte was cleared.
  case sevenBits
  /// Each LF became CR LF: without the CRs, the file has whole pages.
  case lineEnds(pairCount: Int)

  /// The smallest page of any system that runs these apps.
  private static let pageCount = 4096
  /// The smallest number of replacement characters that is a sign: one may be text.
  private static let leastPlaceCount = 2

  /// Returns what `image`, a file that is damaged, shows; `nil` if nothing.
  ///
  /// - Complexity: O(`image.count`).
  package init?(of image: FileImage) {
    let bytes = TextBytes(image)
    // In a file of text, every byte is as these tools leave it.
    guard bytes.controlCount > 0 else { return nil }
    if bytes.isUTF8, bytes.replacementCount >= Self.leastPlaceCount {
      self = .decoded(placeCount: bytes.replacementCount)
    } else if bytes.highCount == 0, ForeignFile.lacksHighBits(image) {
      self = .sevenBits
    } else if bytes.isEveryFeedInPair, bytes.pairCount > 0,
      !image.count.isMultiple(of: Self.pageCount),
      (image.count - bytes.pairCount).isMultiple(of: Self.pageCount)
    {
      self = .lineEnds(pairCount: bytes.pairCount)
    } else {
      return nil
    }
  }

  /// Whether the copy does not have what the file had.
  package var isLossy: Bool { if case .lineEnds = self { false } else { true } }

  /// Returns the finding about `file`, which shows the sign.
  package func finding(in file: StoreFile) -> Finding {
    Finding(
      LogFindings.copySuspected, isLossy ? .damage : .note, in: file,
      message + ". Copy the store again without changing bytes, as adb pull and adb exec-out do")
  }

  /// What happened, for people.
  private var message: String {
    switch self {
    case .decoded(let count):
      "this copy went through a text decoder, which replaced each byte that is not UTF-8 by the "
        + "bytes ef bf bd: they are at \(count.grouped) places, and no byte of the file is other than "
        + "UTF-8. What they replaced is lost, so lengths, checksums and values are wrong"
    case .sevenBits:
      "the highest bit of every byte is 0, also where the format sets it: this copy went through "
        + "a channel of 7 bits. The bits are lost, so lengths, checksums and values are wrong"
    case .lineEnds(let count):
      "all \(count.grouped) LFs in the file follow a CR, and without these CRs it would have whole "
        + "pages: each LF probably became CR LF in this copy. No checksum proves it, so nothing was undone"
    }
  }
}

/// What a file's bytes are, as text.
package struct TextBytes {
  /// Whether all of it is UTF-8.
  package private(set) var isUTF8 = true
  /// The number of replacement characters, U+FFFD.
  package private(set) var replacementCount = 0
  /// The number of bytes that are 0x80 or more.
  package private(set) var highCount = 0
  /// The number of control characters that text does not have.
  package private(set) var controlCount = 0
  /// The number of LFs.
  package private(set) var feedCount = 0
  /// The number of LFs after a CR.
  package private(set) var pairCount = 0

  /// Whether there is no LF without a CR before it.
  package var isEveryFeedInPair: Bool { feedCount == pairCount }

  /// Counts the bytes of `image`, up to where they are neither UTF-8 nor have a CR before each LF.
  package init(_ image: FileImage) {
    let span = image.storageSpan
    var offset = 0
    var last: UInt8 = 0
    while offset < span.count {
      let byte = span[offset]
      if byte < 0x80 {
        if byte < 0x20 || byte == 0x7f { count(byte, after: last) }
        last = byte
        offset += 1
        continue
      }
      highCount += 1
      last = byte
      let count = span.utf8Count(at: offset, limit: span.count)
      if count == 0 {
        isUTF8 = false
        // Then no more bytes can make a sign of it.
        if !isEveryFeedInPair { return }
        offset += 1
        continue
      }
      highCount += count - 1
      if count == 3, byte == 0xef, span[offset + 1] == 0xbf, span[offset + 2] == 0xbd {
        replacementCount += 1
      }
      offset += count
    }
  }

  private mutating func count(_ control: UInt8, after last: UInt8) {
    switch control {
    case UInt8(ascii: "\n"):
      feedCount += 1
      if last == UInt8(ascii: "\r") { pairCount += 1 }
    case UInt8(ascii: "\r"), UInt8(ascii: "\t"): break
    default: controlCount += 1
    }
  }
}
