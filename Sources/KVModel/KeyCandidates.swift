package import KVBytes
import KVSystem

/// Byte strings that may be the key of an encrypted store, and where each of them was found.
///
/// Apps keep keys in their code, their resources and other stores: as text, in UTF-8 or UTF-16, as
/// bytes after their count, or as the hexadecimal digits or the Base64 of bytes. No candidate has
/// more bytes than the longest key of AES, as MMKV cuts longer ones.
package struct KeyCandidates: Sendable {
  /// The number of characters of a text that is taken for one wherever it is.
  private static let meantCount = 4
  /// The number of characters after which a long text is divided, to save memory.
  private static let textCount = 1 << 16
  /// The number of bytes of the longest key.
  package static let byteCount = 32
  /// The most candidates that are kept.
  package static let limit = 1 << 22

  /// How a candidate is written where it was found.
  private enum Form: UInt8 {
    case plain, wide, hexadecimal, base64, entry
  }

  private struct Origin {
    let place: UInt32
    let offset: UInt32
    let form: Form
  }

  /// A candidate with which a store can be read.
  package struct Hit: Sendable {
    /// The number of the candidate.
    package let index: Int
    /// Whether it is a key for AES-256.
    package let isAES256: Bool
    /// The evidence for it, less what so many candidates need, in bits.
    package let excess: Double

    /// Creates a hit.
    package init(index: Int, isAES256: Bool, excess: Double) {
      self.index = index
      self.isAES256 = isAES256
      self.excess = excess
    }
  }

  /// What was found out about a store, by the start of its log.
  private let answers = Guarded<[[UInt8]: Hit?]>([:])
  private var bytes: [UInt8] = []
  private var ends: [UInt32] = []
  private var origins: [Origin] = []
  private var places: [String] = []
  /// The hashes of all candidates: of 2^22, one is lost to another with odds of 1 in 2^21.
  private var known: Set<UInt64> = []
  /// Whether the key that is found is told too, and not only where it lay.
  package let areShown: Bool

  /// Creates an empty collection.
  package init(shown areShown: Bool = false) { self.areShown = areShown }

  /// The number of candidates.
  package var count: Int { ends.count }
  /// Whether no more are kept.
  package var isFull: Bool { count >= Self.limit }

  /// The bytes of a candidate, without zeros at their end, which the engine adds.
  package subscript(index: Int) -> [UInt8] { Array(bytes[range(of: index)]) }

  private func range(of index: Int) -> Range<Int> {
    (index > 0 ? Int(ends[index - 1]) : 0)..<Int(ends[index])
  }

  /// Writes the bytes of a candidate into `key`, cut or followed by zeros.
  package func copy(_ index: Int, into key: inout [UInt8]) {
    let range = range(of: index)
    for offset in key.indices {
      key[offset] = offset < range.count ? bytes[range.lowerBound + offset] : 0
    }
  }

  /// Returns where a candidate was found, for people.
  package func place(of index: Int) -> String {
    let origin = origins[index]
    let place = places[Int(origin.place)]
    let offset = "\(place), offset \(Int(origin.offset).grouped)"
    return switch origin.form {
    case .plain: offset
    case .wide: "\(offset), as UTF-16"
    case .hexadecimal: "\(offset), in hexadecimal"
    case .base64: "\(offset), in Base64"
    case .entry: place
    }
  }

  /// Returns the choice of the key of a store, which `mark` tells from others, if `search` finds it, or
  /// has found it; or else that of no key.
  package func choice(for mark: [UInt8], _ search: () -> Hit?) -> (hit: Hit?, KeyRing.Choice) {
    let known = answers.use { $0[mark] }
    let hit = known ?? search()
    if known == nil { answers.use { $0[mark] = .some(hit) } }
    guard let hit else {
      return (
        nil, .init(failed: "none of \(count.counted("candidate", "candidates")) for the key fits")
      )
    }
    guard hit.excess >= 0 else {
      let doubt =
        "of \(count.counted("candidate", "candidates")) for the key, one fits, but that may be chance"
      return (nil, .init(failed: "\(doubt): \(place(of: hit.index))"))
    }
    let key = self[hit.index]
    let text = key.allSatisfy(Self.isText) ? " \"\(String(decoding: key, as: UTF8.self))\"" : ""
    let shown = areShown ? ":\(text) 0x\(Hexadecimal.text(key))" : ""
    return (hit, .init(key, found: "\(place(of: hit.index))\(shown)"))
  }

  // MARK: Collecting

  /// Adds the content of an entry, which `place` names, if it can be a key.
  package mutating func add(_ content: [UInt8], from place: String) {
    guard (1...2 * Self.byteCount).contains(content.count) else { return }
    places.append(place)
    if content.allSatisfy(Self.isText) {
      add(text: content, at: 0, 1, as: .entry)
    } else {
      insert(content[...], at: 0, .entry)
    }
  }

  /// Adds whatever can be a key in `image`, the file that `place` names.
  package mutating func add(_ image: FileImage, at place: String) {
    places.append(place)
    let bytes = image.storageSpan
    addTexts(in: bytes, stride: 1)
    addTexts(in: bytes, stride: 2)
    let isPropertyList = image.bytes(in: 0..<min(6, image.count)) == Array("bplist".utf8)
    for offset in 0..<bytes.count where !isFull {
      // A binary property list has the count of a short text in half a byte.
      let isShort = isPropertyList && (0x51...0x5e).contains(bytes[offset])
      let count = isShort ? Int(bytes[offset] & 15) : Int(bytes[offset])
      guard isShort || [16, 32].contains(count), count < bytes.count - offset else { continue }
      let start = offset + 1
      insert(image.bytes(in: start..<start + count)[...], at: start, .plain)
    }
  }

  private static func isText(_ byte: UInt8) -> Bool { (0x20...0x7e).contains(byte) }

  /// Adds the runs of text whose characters are `stride` bytes apart, with zeros between.
  private mutating func addTexts(in bytes: Span<UInt8>, stride: Int) {
    var offset = 0
    var text: [UInt8] = []
    while offset < bytes.count, !isFull {
      text.removeAll(keepingCapacity: true)
      var end = offset
      while end < bytes.count, Self.isText(bytes[end]), text.count < Self.textCount,
        stride == 1 || text.isEmpty || bytes[end - 1] == 0
      {
        text.append(bytes[end])
        end += stride
      }
      // In other bytes, there are many short runs. Those that are meant have an end or a count.
      let isMeant =
        text.count >= stride
        && (text.count >= Self.meantCount || end >= bytes.count || bytes[end - stride + 1] == 0
          || offset > 0 && Int(bytes[offset - 1]) == text.count)
      if isMeant {
        add(text: text, at: offset, stride, as: stride == 1 ? .plain : .wide)
      }
      offset = max(offset + 1, end - stride + 1)
    }
  }

  /// Adds `text`, and its parts between quotation marks and the like, and between other separators.
  private mutating func add(text: [UInt8], at offset: Int, _ stride: Int, as form: Form) {
    add(token: text[...], at: offset, form)
    let quotes = Array("\"'`<>".utf8)
    for marks in [quotes, quotes + Array(" =:,;&|()[]{}".utf8)] {
      for part in text.split(whereSeparator: marks.contains) where part.count < text.count {
        add(token: part, at: offset + part.startIndex * stride, form)
      }
    }
  }

  private mutating func add(token: ArraySlice<UInt8>, at offset: Int, _ form: Form) {
    insert(token, at: offset, form)
    func insertDecoded(_ decoded: [UInt8]?, _ decodedForm: Form) {
      guard let decoded, [16, 32].contains(decoded.count) else { return }
      insert(decoded[...], at: offset, form == .entry ? .entry : decodedForm)
    }
    switch token.count {
    case 32, 64:
      insertDecoded(Hexadecimal.bytes(String(decoding: token, as: UTF8.self)), .hexadecimal)
    case 22...24, 43...44:
      insertDecoded(Base64.bytes(of: FileImage(Array(token)), isLenient: true), .base64)
    default: break
    }
  }

  private mutating func insert(_ candidate: ArraySlice<UInt8>, at offset: Int, _ form: Form) {
    var candidate = candidate.prefix(Self.byteCount)
    while candidate.last == 0 { candidate.removeLast() }
    guard !candidate.isEmpty, !isFull else { return }
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in candidate { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    guard known.insert(hash).inserted else { return }
    bytes += candidate
    ends.append(UInt32(bytes.count))
    origins.append(
      Origin(place: UInt32(places.count - 1), offset: UInt32(clamping: offset), form: form))
  }
}
