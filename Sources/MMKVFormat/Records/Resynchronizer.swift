import KVBytes
import KVModel

/// Finds where the records of MMKV go on after damage, by minimum-cost segmentation.
struct Resynchronizer {
  /// How many of the first records have to agree with the others about whether keys are text.
  private static let firstCount = 16

  private let image: FileImage
  private let expiry: Plausibility.Expiry

  /// A resynchronizer for the decrypted `image`.
  init(_ image: FileImage, expiry: Plausibility.Expiry) {
    self.image = image
    self.expiry = expiry
  }

  /// The gaps in `range`, in order; between them the log decodes.
  ///
  /// Keys are taken for text, as nearly all are, unless the file begins with many that are not.
  func gaps(in range: Range<Int>) -> [Gap] {
    MMKVGrammar(image: image, plausibility: plausibility).gaps(in: range)
  }

  /// What records of this file look like.
  var plausibility: Plausibility {
    Plausibility(expiry: expiry, expectsTextKeys: !hasBinaryKeys)
  }

  /// Whether most of the file's first records have keys that are no text.
  ///
  /// Only the start of the file is asked: elsewhere reading may begin inside a record, and go on for
  /// a while out of sync. Where it does so after damage, values seldom have a plausible shape.
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
        // After damage, reading can stay out of sync where entries are alike.
        if text + other == Self.firstCount, text >= other { return false }
      // After a hole reading may begin inside a record.
      case .filler(let zeros) where zeros.count >= SegmentationCost.holeCount:
        return other >= 8 && other > text
      case .filler, .gap: continue
      }
    }
    return other >= 8 && other > text
  }
}
