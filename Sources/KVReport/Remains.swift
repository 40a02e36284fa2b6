import KVBytes
import KVModel

/// The content of bytes that belong to no record: what a later write left of earlier records, or what
/// damage left of them.
///
/// Reports contain it, so that a search in a report finds what the file contains.
struct Remains {
  /// The largest number of bytes that a report contains of one place.
  static let limit = 1 << 16
  /// The fewest characters in a row that count as text.
  private static let textCount = 3

  /// The bytes, decrypted, up to the last one that is not zero in the file; at most ``limit``.
  let bytes: [UInt8]
  /// The number of bytes up to that one that are left out.
  let leftOutCount: Int

  /// Reads the bytes of `store` at `extent`; `nil` if all of them are zero, or they may not be shown.
  init?(at extent: Extent, of store: some Store) {
    guard !store.isRedacted, let last = store.lastNonzero(in: extent) else { return nil }
    let count = last + 1 - extent.offset
    let image = store.decoded(extent.file)
    let shown = extent.offset..<extent.offset + min(count, Self.limit)
    bytes = image.bytes(in: shown.clamped(to: image.range))
    leftOutCount = count - shown.count
  }

  /// The bytes as text, in which a period stands for each piece that is not text.
  var text: String {
    var text = ""
    var run = ""
    var isAfterText = false
    var (runCount, isOther) = (0, false)
    func end() {
      defer { (run, runCount) = ("", 0) }
      guard runCount >= Self.textCount else {
        isOther = isOther || runCount > 0
        return
      }
      text += (isOther || isAfterText ? "." : "") + run
      (isAfterText, isOther) = (true, false)
    }
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      if scalar != "\u{FFFD}", DisplayText.isPlain(scalar) {
        run.unicodeScalars.append(scalar)
        runCount += 1
      } else {
        end()
        isOther = true
      }
    }
    end()
    return isOther && isAfterText ? text + "." : text
  }
}
