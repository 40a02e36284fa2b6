import KVBytes
import KVModel

/// Zeros in a value that an app may have written, but that also look like the end of a page that
/// never reached the disk: they reach the end of the file or of a sector.
///
/// ``ZeroRuns`` are longer, in bytes that are never zeros. A text may end with a few null
/// characters, and data with many, so these zeros are no damage, but no proof of a whole value
/// either.
enum TrailingZeros {
  /// The number of bytes that a disk writes as a whole.
  private static let sectorCount = 512
  /// The least number of zeros in data that count at the end of a sector; data often ends with a
  /// few zeros, and one in 64 values ends near the end of a sector.
  private static let leastSectorCount = 64

  /// Returns the zeros of a text at `range` in `bytes`, all bytes of a file; `nil` if there are none.
  static func ofText(at range: Range<Int>, in bytes: Span<UInt8>) -> Range<Int>? {
    find(range, bytes, least: 1, leastInside: 1)
  }

  /// Returns the zeros of data at `range` in `bytes`, all bytes of a file; `nil` if there are none.
  static func ofData(at range: Range<Int>, in bytes: Span<UInt8>) -> Range<Int>? {
    find(range, bytes, least: ZeroRuns.leastCount, leastInside: leastSectorCount)
  }

  private static func find(
    _ range: Range<Int>, _ bytes: Span<UInt8>, least: Int, leastInside: Int
  ) -> Range<Int>? {
    func zeros(before end: Int) -> Range<Int> {
      var start = end
      while start > range.lowerBound, bytes[start - 1] == 0 { start -= 1 }
      return start..<end
    }
    guard !range.isEmpty else { return nil }
    if range.upperBound == bytes.count {
      let found = zeros(before: range.upperBound)
      if found.count >= least { return found }
    }
    var end = (range.lowerBound / sectorCount + 1) * sectorCount
    while end <= range.upperBound {
      if bytes[end - 1] == 0 {
        let found = zeros(before: end)
        if found.count >= leastInside { return found }
      }
      end += sectorCount
    }
    return nil
  }

  /// Returns the finding of the zeros at `range` in `file`; `subject` is what they are in.
  static func finding(of range: Range<Int>, in file: StoreFile, _ subject: String) -> Finding {
    let end = range.upperBound == file.image.count ? "the end of the file" : "the end of a sector"
    return Finding(
      ZeroFindings.trailing, at: Extent(file.role, range),
      "\(subject) has \(range.count.grouped) \(range.count == 1 ? "zero" : "zeros") up to \(end), at "
        + "\(Hexadecimal.text(range.upperBound, digits: 2)): the app may have written them, or a page "
        + "never reached the disk")
  }
}
