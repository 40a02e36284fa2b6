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
  var asFound: [StoreFile] { map(\.asFound) }

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
          + "\(first.image.count.inBytes), not to the \(damage.found.count.grouped) of the copy. "
          + "Copy it again without changing bytes, as adb pull and adb exec-out do")
    ]
  }

  /// What the files, which are damaged, show about how they were copied, and the file that shows it;
  /// `nil` if nothing.
  ///
  /// Stores of the format have zeros and bytes of 0x80 or more in their lengths, checksums and unused
  /// space, if they have `mixedCount` bytes other than 0; if that is `nil`, this is not known. With
  /// `orLineEnds`, signs of a copy that lost nothing count too.
  ///
  /// - Complexity: O(count of their bytes).
  package func copySign(mixedCount: Int?, orLineEnds: Bool) -> (file: StoreFile, sign: CopySign)? {
    guard !areUndone, let first = read.first else { return nil }
    if let mixedCount, let sign = CopySign(of: read.map(\.image), mixedCount: mixedCount) {
      return (first, sign)
    }
    return read.lazy.compactMap { file in
      CopySign(of: file.image, orLineEnds: orLineEnds).map { (file: file, sign: $0) }
    }.first
  }

  /// The findings about changes that a copy seems to have made, and that are not undone: nothing
  /// proves what the bytes were.
  ///
  /// Look for them only if no checksum matches, or the files are damaged.
  package func suspectedCopyFindings(mixedCount: Int?) -> [Finding] {
    copySign(mixedCount: mixedCount, orLineEnds: true).map { [$0.sign.finding(in: $0.file)] } ?? []
  }
}

/// What the bytes of a damaged file show about how it was copied.
package enum CopySign: Hashable, Sendable {
  /// Each byte that is not UTF-8 was replaced by U+FFFD, the replacement character.
  case decoded(placeCount: Int)
  /// The highest bit of each byte was cleared, or each byte that has it was replaced.
  case sevenBits
  /// Each zero was replaced or left out.
  case withoutZeros
  /// Each LF became CR LF: without the CRs, the file has whole pages.
  case lineEnds(pairCount: Int)

  /// The smallest page of any system that runs these apps.
  private static let pageCount = 4096
  /// The smallest number of replacement characters that is a sign: one may be text.
  private static let leastPlaceCount = 2
  /// The number of bytes at the beginning of a file in which each format states something.
  private static let headCount = 12
  /// The largest number of bytes of a length before a text.
  private static let lengthCount = 3
  /// The smallest number of characters that are a text.
  private static let leastTextCount = 4

  /// Returns what `image`, a file that is damaged, shows; `nil` if nothing.
  ///
  /// - Complexity: O(`image.count`).
  fileprivate init?(of image: FileImage, orLineEnds: Bool) {
    // Line ends that are replaced change the size of the file.
    let mayHaveLineEnds = orLineEnds && !image.count.isMultiple(of: Self.pageCount)
    let bytes = TextBytes(image, orLineEnds: mayHaveLineEnds)
    // In a file of text, every byte is as these tools leave it.
    guard bytes.controlCount > 0 else { return nil }
    if bytes.isUTF8, bytes.replacementCount >= Self.leastPlaceCount {
      self = .decoded(placeCount: bytes.replacementCount)
    } else if bytes.highCount == 0, ForeignFile.lacksHighBits(image) {
      self = .sevenBits
    } else if mayHaveLineEnds, bytes.isEveryFeedInPair, bytes.pairCount > 0,
      (image.count - bytes.pairCount).isMultiple(of: Self.pageCount)
    {
      self = .lineEnds(pairCount: bytes.pairCount)
    } else {
      return nil
    }
  }

  /// Returns what kind of byte all of `images`, the files of a damaged store, lack; `nil` if none.
  fileprivate init?(of images: [FileImage], mixedCount: Int) {
    let hasHigh = images.contains { image in image.range.contains { image[$0] > 0x7f } }
    let hasZero = images.contains { $0.firstOccurrence(of: [0], in: $0.range) != nil }
    // What is written over has no bytes of any other kind either.
    guard !hasHigh || !hasZero,
      !images.contains(where: { $0.isZero(in: $0.range.prefix(Self.headCount)) })
    else { return nil }
    let count = images.reduce(0) { sum, image in sum + image.range.count { image[$0] != 0 } }
    guard count >= mixedCount else { return nil }
    self = hasZero ? .sevenBits : .withoutZeros
  }

  /// Returns whether the copy leaves such bytes, a key or a value of `image`, as they were.
  package func leaves(_ range: Range<Int>, of image: FileImage) -> Bool {
    switch self {
    case .lineEnds: return true
    case .decoded:
      return !range.dropLast(2).contains {
        image[$0] == 0xef && image[$0 + 1] == 0xbf && image[$0 + 2] == 0xbd
      }
    case .sevenBits, .withoutZeros:
      let length = range.prefix(Self.lengthCount).prefix { image[$0] < 0x20 }
      let text = range.dropFirst(length.count)
      return text.count >= Self.leastTextCount
        && text.allSatisfy { 0x20..<0x7f ~= image[$0] && image[$0] != UInt8(ascii: "?") }
    }
  }

  /// Whether the copy does not have what the file had.
  private var isLossy: Bool { if case .lineEnds = self { false } else { true } }

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
      "no byte is 0x80 or more, also where the format has such bytes: this copy went through a channel "
        + "of 7 bits, or each such byte was replaced. What they were is lost, so lengths, checksums and "
        + "values are wrong"
    case .withoutZeros:
      "no byte of the store is 0, although each has some in its lengths and in unused space: this copy "
        + "went through a tool that replaces or drops zeros, so lengths, checksums and values are wrong"
    case .lineEnds(let count):
      "all \(count.grouped) LFs in the file follow a CR, and without these CRs it would have whole "
        + "pages: each LF probably became CR LF in this copy. No checksum proves it, so nothing was undone"
    }
  }
}

/// What a file's bytes are, as text.
package struct TextBytes {
  /// Whether all of it is UTF-8.
  private(set) var isUTF8 = true
  /// The number of replacement characters, U+FFFD.
  private(set) var replacementCount = 0
  /// The number of bytes that are 0x80 or more.
  private(set) var highCount = 0
  /// The number of control characters that text does not have.
  private(set) var controlCount = 0
  /// The number of LFs.
  private(set) var feedCount = 0
  /// The number of LFs after a CR.
  private(set) var pairCount = 0

  /// Whether there is no LF without a CR before it.
  var isEveryFeedInPair: Bool { feedCount == pairCount }

  /// Counts the bytes of `image`, up to where they are not UTF-8; if `orLineEnds`, up to where they
  /// neither are that nor have a CR before each LF.
  package init(_ image: FileImage, orLineEnds: Bool) {
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
        if !orLineEnds || !isEveryFeedInPair { return }
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
