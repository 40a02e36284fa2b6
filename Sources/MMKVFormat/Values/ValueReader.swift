import KVBytes
package import KVModel

/// The possible readings of an MMKV value, whose type is not stored.
///
/// The code that reads a value decides its type, so there is never just one answer. Each reading is
/// a value that some API of the engine encodes as exactly these bytes, or a closer look at such a
/// value (JSON in a text, a time in a number).
///
///     API                   bytes of the value
///     bool                  00 | 01
///     int32, int64          varint of the sign-extended number, ten bytes where it is negative
///     uint32, uint64        varint
///     float, double         IEEE 754, 4 or 8 bytes, little-endian
///     NSDate                double, seconds since 1970
///     NSCoding              "bplist00"…
///     text, bytes           varint count, bytes
///     list                  varint count of bytes, then the elements as above (a bool is a byte)
///
///     with expiry           any of these, then 4 bytes
///
/// Varints are written in their shortest form; others are not accepted.
///
/// Reference: `Docs/FORMAT-MMKV.md` § Values.
package struct ValueReader: Hashable, Sendable {
  /// Whether values carry an expiry time, according to the flag in the store's meta file.
  let hasExpirySuffix: Bool

  /// Creates a reader for the values of a store whose meta file has this flag.
  package init(hasExpirySuffix: Bool) { self.hasExpirySuffix = hasExpirySuffix }

  /// Returns everything that `value` can be, likeliest first; there is at least one reading.
  ///
  /// `value` is what the record stores after the value's length: the inner length, the content and,
  /// if the store has them, the four bytes of expiry. A value that is too short to have those is
  /// read as it is. Bytes that no API writes are returned as `.bytes`, without the expiry.
  ///
  /// - Complexity: O(`value.count`). The readings seldom take more than 4 bytes of memory for each
  ///   byte of the value, and up to 20 if it is crafted to be read as many lists.
  package func readings(of value: [UInt8]) -> [Reading] {
    readings(of: value.storageSpan, keeping: .max)
  }

  /// Returns the same, with lists, texts and data limited to what lies in the first `limit` bytes.
  ///
  /// - Complexity: O(`value.count`), and memory for `limit` bytes.
  func readings(of value: Span<UInt8>, keeping limit: Int) -> [Reading] {
    var ranking = TypeRanking()
    rank(value, &ranking)
    return ranking.candidates.map { reading(of: value, as: $0, keeping: limit) }
  }

  /// Returns the range of the bytes of a text or of data that `value` is; `nil` for a number.
  func content(of value: Span<UInt8>) -> Range<Int>? {
    ValueParser.content(of: value.extracting(0..<bodyCount(of: value)))
  }

  /// Ranks what `value` can be, without making the values.
  func rank(_ value: Span<UInt8>, _ ranking: inout TypeRanking) {
    let body = value.extracting(0..<bodyCount(of: value))
    ranking.begin(onlyByte: body.count == 1 ? body[0] : nil)
    ranking.addArchive(body)
    if let range = ValueParser.content(of: body) {
      let content = body.extracting(range)
      let texts = LengthPrefixedList(content)
      ranking.addArchive(content)
      let isText = ranking.addText(content, texts)
      ranking.addScalars(body, besideText: isText)
      ranking.addLists(content, texts, besideText: isText)
      ranking.addBytes(content, besideText: isText)
    } else {
      ranking.addScalars(body, besideText: false)
    }
    if ranking.candidates.isEmpty { ranking.add(.bytes, .remote, .remainder) }
  }

  /// Returns the reading of `value` as `candidate`, with about the first `limit` bytes.
  func reading(
    of value: Span<UInt8>, as candidate: TypeCandidate, keeping limit: Int
  ) -> Reading {
    let body = value.extracting(0..<bodyCount(of: value))
    let reason = ReadingReason(rawValue: candidate.reason) ?? .remainder
    guard reason != .remainder,
      let (value, count) = ValueParser.parse(body, as: candidate, keeping: limit)
    else {
      let value = Value.bytes(body.extracting(first: min(limit, body.count)).copy)
      return Reading(
        value, count: body.count > limit ? body.count : nil, candidate.likelihood,
        because: ReadingReason.remainder.text(candidate, value, body))
    }
    return Reading(
      value, count: count, candidate.likelihood, because: reason.text(candidate, value, body))
  }

  /// Returns the number of bytes of `value` without the expiry time.
  private func bodyCount(of value: Span<UInt8>) -> Int {
    let hasSuffix = hasExpirySuffix && value.count >= ExpirySuffix.byteCount
    return value.count - (hasSuffix ? ExpirySuffix.byteCount : 0)
  }
}
