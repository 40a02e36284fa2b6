import KVBytes

/// A change that tools make to all bytes of a file while they copy it, and that can be undone.
struct CopyChange: Sendable {
  /// What proves that a file was changed so.
  enum Proof: Comparable, Sendable {
    /// All of the file can be read after the change is undone, and not before.
    case contents
    /// The same, for a format of which a field says where the file ends.
    case end
    /// A stored checksum matches after the change is undone, and not before.
    case checksum
  }

  /// The contents that a file may have had before the change, the likeliest first.
  struct Originals {
    /// Their number.
    let count: Int
    /// Returns the contents number `index`; `nil` if the file cannot have had them.
    let bytes: (_ index: Int) -> [UInt8]?

    /// None, because the file does not show the change.
    static var none: Originals { Originals(count: 0) { _ in nil } }
    /// Returns `bytes` alone, or none if it is `nil`.
    static func one(_ bytes: [UInt8]?) -> Originals {
      bytes.map { bytes in Originals(count: 1) { _ in bytes } } ?? .none
    }
  }

  /// What happened to the file, for people, as a part of a sentence.
  let description: String
  /// What proves it.
  let proof: Proof
  /// Whether the files of a store can differ in which of their possible contents is right.
  var isPerFile = false
  /// Returns the possible contents of a file before the change, each of at most
  /// ``CopySearch/byteLimit`` bytes; none if the file does not show the change.
  let originals: @Sendable (FileImage) -> Originals

  /// The changes that are undone, those with the clearest signs first.
  static let all = [
    compressed, hexadecimal, base64, wideText, narrowText, lineEnds, linesBefore, lineEndAfter,
    lostReturns,
  ]
}

// MARK: Encodings

extension CopyChange {
  /// The file was compressed with gzip.
  private static let compressed = CopyChange(
    description: "the bytes were compressed with gzip", proof: .contents
  ) { image in
    guard image.count > 18, image.bytes(in: 0..<3) == [0x1f, 0x8b, 8] else { return .none }
    return .one(unpacked(image.bytes))
  }

  /// Returns what the gzip stream `packed` holds; `nil` if it does not end with the last byte, its
  /// checksum does not match, or it holds too much.
  private static func unpacked(_ packed: [UInt8]) -> [UInt8]? {
    let inflater = Inflater()
    var bytes: [UInt8] = []
    var used = 0
    while true {
      let piece = inflater.unpack(packed, from: used, atMost: 1 << 20)
      used += piece.usedCount
      bytes += piece.bytes
      if piece.isEnd { return used == packed.count ? bytes : nil }
      guard piece.damage == nil, piece.usedCount > 0 || !piece.bytes.isEmpty,
        bytes.count <= CopySearch.byteLimit
      else { return nil }
    }
  }

  /// The file was written as hexadecimal text.
  private static let hexadecimal = CopyChange(
    description: "each byte became hexadecimal digits", proof: .contents
  ) { .one(HexText.bytes(of: $0)) }

  /// The file was written as Base64.
  private static let base64 = CopyChange(
    description: "the bytes were encoded as Base64", proof: .contents
  ) { .one(Base64.bytes(of: $0)) }

  /// A shell took the bytes for text, and wrote it as UTF-16.
  private static let wideText = CopyChange(
    description: "a shell took each byte for a character and wrote UTF-16, as PowerShell's > does",
    proof: .contents
  ) { image in
    guard let text = DecodedText(utf16: image) else { return .none }
    return text.originals
  }

  /// A shell or a script took the bytes for text, and wrote it as UTF-8.
  private static let narrowText = CopyChange(
    description: "a shell or a script took each byte for a character and wrote UTF-8",
    proof: .contents
  ) { image in
    guard let text = DecodedText(utf8: image) else { return .none }
    return text.originals
  }
}

// MARK: Line ends

extension CopyChange {
  /// Each LF became CR LF.
  private static let lineEnds = CopyChange(
    description: "every LF became CR LF, as adb shell, FTP in text mode and PowerShell do",
    proof: .contents
  ) { LineEnds.areAllPairs(in: $0) ? .one(LineEnds.withoutReturns($0.bytes)) : .none }

  /// Each CR LF became LF, so that bytes are missing that only a checksum can place.
  private static let lostReturns = CopyChange(
    description: "every CR LF became LF, as FTP in text mode does", proof: .checksum,
    isPerFile: true
  ) { LineEnds.lacksReturns($0) ? LineEnds.withReturns($0.bytes) : .none }

  /// The number of lines that a tool may have written before the file.
  private static let lineCount = 4
  /// The number of bytes in which these lines end.
  private static let linesByteCount = 2048

  /// A tool wrote a message before the file.
  private static let linesBefore = CopyChange(
    description: "a tool wrote a message before the bytes", proof: .end
  ) { image in
    let head = image.bytes(in: 0..<min(linesByteCount, image.count))
    var ends: [Int] = []
    for (offset, byte) in head.enumerated() {
      if byte == UInt8(ascii: "\n") { ends.append(offset + 1) }
      let isText = byte >= 0x20 && byte != 0x7f || [9, 10, 13].contains(byte)
      if !isText || ends.count == lineCount { break }
    }
    return Originals(count: ends.count) { Array(image.bytes.dropFirst(ends[$0])) }
  }

  /// A tool wrote a line end after the file.
  private static let lineEndAfter = CopyChange(
    description: "a line end was added after the bytes", proof: .end
  ) { image in
    guard image.count > 1, image[image.count - 1] == UInt8(ascii: "\n") else { return .none }
    let bytes = image.bytes
    let counts = bytes.dropLast().last == UInt8(ascii: "\r") ? [2, 1] : [1]
    return Originals(count: counts.count) { bytes.dropLast(counts[$0]) }
  }
}

/// The line ends in bytes that are not text.
enum LineEnds {
  private static let feed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")
  /// The size of the pages of which the files consist that engines map into memory.
  private static let pageCount = 4096
  /// The largest number of contents that are tried for a file with missing CRs.
  private static let trialCount = 2000

  /// Returns whether `image` has an LF, and a CR before each.
  static func areAllPairs(in image: FileImage) -> Bool {
    let span = image.storageSpan
    var hasPair = false
    for offset in span.indices where span[offset] == feed {
      guard offset > 0, span[offset - 1] == carriageReturn else { return false }
      hasPair = true
    }
    return hasPair
  }

  /// Returns whether `image` is not made of whole pages.
  static func lacksReturns(_ image: FileImage) -> Bool { !image.count.isMultiple(of: pageCount) }

  /// Returns `bytes` without the CR before each LF; `nil` if there is no LF, or one without a CR.
  static func withoutReturns(_ bytes: [UInt8]) -> [UInt8]? {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    for byte in bytes {
      if byte == feed {
        guard result.last == carriageReturn else { return nil }
        result.removeLast()
      }
      result.append(byte)
    }
    return result.count < bytes.count ? result : nil
  }

  /// Returns `bytes` with a CR before some LFs, so that there are whole pages; none if there are no
  /// LFs, there is a CR LF, or too many choices.
  static func withReturns(_ bytes: [UInt8]) -> CopyChange.Originals {
    let missing = pageCount - bytes.count % pageCount
    guard missing < pageCount, missing < trialCount else { return .none }
    var feeds: [Int] = []
    for (offset, byte) in bytes.enumerated() where byte == feed {
      if offset > 0, bytes[offset - 1] == carriageReturn { return .none }
      feeds.append(offset)
      // More places than this have too many choices, whatever the number of CRs.
      if feeds.count > trialCount { return .none }
    }
    let count = Self.choiceCount(of: missing, among: feeds.count)
    return CopyChange.Originals(count: count) { index in
      var result: [UInt8] = []
      result.reserveCapacity(bytes.count + missing)
      var start = 0
      for place in choice(index, of: missing, among: feeds.count) {
        result += bytes[start..<feeds[place]]
        result.append(carriageReturn)
        start = feeds[place]
      }
      return result + bytes[start...]
    }
  }

  /// Returns in how many ways `count` of `all` can be chosen; 0 if there are too many to try.
  private static func choiceCount(of count: Int, among all: Int) -> Int {
    guard count <= all else { return 0 }
    var ways = 1
    for step in 0..<min(count, all - count) {
      ways = ways * (all - step) / (step + 1)
      if ways > trialCount { return 0 }
    }
    return ways
  }

  /// Returns the choice number `index` of `count` of `all`, in ascending order.
  private static func choice(_ index: Int, of count: Int, among all: Int) -> [Int] {
    var rest = index
    var chosen: [Int] = []
    for place in 0..<all where chosen.count < count {
      // The choices that contain this place come first.
      let with = choiceCount(of: count - chosen.count - 1, among: all - place - 1)
      if rest < with { chosen.append(place) } else { rest -= with }
    }
    return chosen
  }
}
