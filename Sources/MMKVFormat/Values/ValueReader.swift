import KVBytes
package import KVModel

/// Tells what the untyped bytes of an MMKV value can be.
///
/// MMKV stores no types: whoever asks for a value decides what it is. So there is never one answer;
/// each reading is one that some API of the engine writes as exactly these bytes, or a closer look at
/// such a reading (JSON in a text, a time in a number).
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
/// Varints are written in as few bytes as they need; others are not read.
///
/// Reference: `Docs/FORMAT-MMKV.md` § Values.
package struct ValueReader: Hashable, Sendable {
  /// Whether values carry a time of expiry, by the flag in the store's meta file.
  package let hasExpirySuffix: Bool

  /// A reader for the values of a store whose meta file has this flag.
  package init(hasExpirySuffix: Bool) { self.hasExpirySuffix = hasExpirySuffix }

  /// Everything that `value` can be, likeliest first; at least one reading.
  ///
  /// `value` is what the record stores after the value's length, with the inner length and, where
  /// the store has them, the four bytes of expiry. A value too short to have those is read as it is.
  /// Bytes that no API writes are returned as `.bytes`, without the expiry.
  ///
  /// - Complexity: O(`value.count`). The readings take up to 20 bytes of memory for a byte of a value
  ///   made to be read as many lists, and seldom more than 4.
  package func readings(of value: [UInt8]) -> [Reading] {
    readings(of: value.storageSpan, keeping: .max)
  }

  /// The same, of lists, texts and data no more than what lies in the first `limit` bytes.
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
