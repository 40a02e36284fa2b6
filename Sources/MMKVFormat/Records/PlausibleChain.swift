import KVBytes
import KVModel

/// The longest run of consecutive plausible records: a few occur by coincidence, more do not.
struct PlausibleChain {
  private static let plausibility = Plausibility(expiry: .unknown, expectsTextKeys: true)

  /// The length of the longest run that was found.
  let count: Int

  /// Finds the longest run in `range` of `image`, read around `gaps`; the search stops at `enough`
  /// records.
  ///
  /// Records with keys of fewer than `keyCount` bytes do not count.
  init(
    in image: FileImage, _ range: Range<Int>, around gaps: [Gap] = [], enough: Int,
    keyCount: Int = 0
  ) {
    var longest = 0
    var current = 0
    for event in MMKVRecords(image, in: range, mode: .plain, isEncrypted: false, gaps: gaps) {
      guard case .record(let record) = event,
        PlausibleChain.isLink(record, in: image, keyCount: keyCount)
      else {
        current = 0
        continue
      }
      current += 1
      longest = max(longest, current)
      if longest >= enough { break }
    }
    count = longest
  }

  /// Returns whether `record` counts.
  static func isLink(_ record: Record, in image: FileImage, keyCount: Int) -> Bool {
    record.key.count >= keyCount && plausibility.accepts(record, in: image)
  }
}
