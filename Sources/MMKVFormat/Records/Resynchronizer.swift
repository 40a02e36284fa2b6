import KVBytes
import KVModel

/// Finds where MMKV's records continue after damage, by minimum-cost segmentation.
struct Resynchronizer {
  /// The number of initial records after which text keys, if they are in the majority, decide.
  private static let firstCount = 16

  private let image: FileImage
  private let expiry: Plausibility.Expiry
  private let knowsBinaryKeys: Bool

  /// Creates a resynchronizer for the decrypted `image`, of which it may be known that most keys are
  /// not text.
  init(_ image: FileImage, expiry: Plausibility.Expiry, hasBinaryKeys: Bool = false) {
    self.image = image
    self.expiry = expiry
    knowsBinaryKeys = hasBinaryKeys
  }

  /// Returns the gaps in `range`, in order; between them, the log decodes.
  ///
  /// Keys are assumed to be text, as nearly all are, unless the file begins with many that are not.
  func gaps(in range: Range<Int>) -> [Gap] {
    MMKVGrammar(image: image, plausibility: plausibility).gaps(in: range)
  }

  /// The plausibility model for this file's records.
  var plausibility: Plausibility {
    Plausibility(expiry: expiry, expectsTextKeys: !(knowsBinaryKeys || hasBinaryKeys))
  }

  /// Whether most of the file's first records have keys that are not text.
  ///
  /// Only the start of the file is examined: elsewhere, reading may begin inside a record and stay
  /// out of sync for a while. If it is out of sync after damage, values seldom have a plausible
  /// shape.
  private var hasBinaryKeys: Bool {
    guard image.count > DataHeader.byteCount else { return false }
    let anyKey = Plausibility(expiry: expiry, expectsTextKeys: false)
    var text = 0
    var other = 0
    let records = MMKVRecords(
      image, in: DataHeader.byteCount..<image.count, mode: .plain, isEncrypted: false)
    for event in records.prefix(200) {
      switch event {
      case .record(let record):
        guard record.operation == .put, anyKey.accepts(record, in: image) else { continue }
        if Plausibility.isText(image, record.key) { text += 1 } else { other += 1 }
        // After damage, reading can stay out of sync if entries are alike.
        if text + other == Self.firstCount, text >= other { return false }
      // After a hole, reading may begin inside a record.
      case .filler(let zeros) where zeros.count >= SegmentationCost.holeCount:
        return other >= 8 && other > text
      case .filler, .gap: continue
      }
    }
    return other >= 8 && other > text
  }
}
