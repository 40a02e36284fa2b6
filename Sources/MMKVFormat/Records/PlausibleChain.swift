import KVBytes
import KVModel

/// How many plausible records follow one another: some do by accident, more do not.
struct PlausibleChain {
  private static let plausibility = Plausibility(expiry: .unknown, expectsTextKeys: true)

  /// The length of the longest chain that was found.
  let count: Int

  /// The longest chain in `range` of `image`, read around `gaps`; the search ends where it has `enough`.
  ///
  /// Keys of less than `keyCount` bytes count for nothing.
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

  /// Whether `record` counts.
  static func isLink(_ record: Record, in image: FileImage, keyCount: Int) -> Bool {
    record.key.count >= keyCount && plausibility.accepts(record, in: image)
  }
}
