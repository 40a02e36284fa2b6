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
    let suffix = hasExpirySuffix && value.count >= ExpirySuffix.byteCount
    let body = value.extracting(
      first: value.count - (suffix ? ExpirySuffix.byteCount : 0))
    let prefix = body.minimalVarint(at: 0)
    var ranking = Ranking(keeping: limit)
    ranking.addArchive(body)
    if let prefix, prefix.value == body.count - prefix.end {
      let content = body.extracting(prefix.end..<body.count)
      ranking.addArchive(content)
      let isText = ranking.addText(content)
      ranking.addScalars(body, besideText: isText)
      ranking.addLists(content, besideText: isText)
      ranking.addBytes(content, besideText: isText)
    } else {
      ranking.addScalars(body, besideText: false)
    }
    if ranking.isEmpty { ranking.addRemainder(body) }
    return ranking.readings
  }
}
