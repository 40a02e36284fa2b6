import KVBytes
import KVModel

/// Decides whether records are encrypted by looking at them, as the header may be damaged.
///
/// The first step that applies decides:
///
/// 1. The header says encrypted, but the checksum matches and every record is plausible without
///    decryption. The log is plain.
/// 2. The first records are plausible as the header says.
/// 3. The header says plain, the checksum matches, and the engine loads every record. The log is
///    plain; its keys need not look like names.
/// 4. One reading explains many more bytes than the other; see ``ContentScores``.
struct ContentGuess {
  /// The number of plausible records from the start that are enough.
  private static let chainCount = 16

  let image: FileImage
  /// The file's role.
  let role: FileRole
  /// The range of the log, or if it is not known, the whole area that may contain it.
  let area: Range<Int>
  let cipher: DemoCipher?
  /// Whether the header says that the records are encrypted.
  let isStatedEncrypted: Bool
  /// Whether a checksum matches over `area`.
  let isVerified: Bool

  /// Whether the records are encrypted.
  ///
  /// - Complexity: O(count of the area).
  var isEncrypted: Bool { asText ?? asStated ?? asLoaded ?? byScores }

  private var asText: Bool? {
    guard isStatedEncrypted, isVerified, !area.isEmpty else { return nil }
    var trial = LogTrial(
      image.bytes, area, RecordTest(isEncrypted: false, cipher: nil), budget: area.count)
    return trial.decodes() ? false : nil
  }

  private var asStated: Bool? {
    let stated =
      isStatedEncrypted
      ? AndroidPlausibility(image, encryptedBy: cipher) : AndroidPlausibility(image)
    let first = AndroidShapes(image, in: area).prefix(Self.chainCount)
    guard first.contains(where: { _ in true }), first.allSatisfy({ stated.accepts($0) }) else {
      return nil
    }
    return isStatedEncrypted
  }

  private var asLoaded: Bool? {
    guard !isStatedEncrypted, isVerified, !area.isEmpty else { return nil }
    let judge = RecordJudge(copy: DecodedCopy(plain: image, as: role))
    var end = area.lowerBound
    for shape in AndroidShapes(image, in: area) {
      switch judge.verdict(on: shape) {
      case .whole, .skipped: end = shape.range.upperBound
      case .refused, .broken: return nil
      }
    }
    return end == area.upperBound ? false : nil
  }

  private var byScores: Bool {
    ContentScores(image, in: area, cipher).isEncrypted(asStated: isStatedEncrypted)
  }
}

/// The number of sample bytes in plausible records, read as plain and as encrypted.
private struct ContentScores {
  /// The most bytes that are examined.
  private static let sampleCount = 1 << 16
  /// The number of records in a row that random data does not have.
  private static let runCount = 4

  /// The number of bytes in the sample.
  private let count: Int
  private let plain: Int
  private let encrypted: Int
  /// The score of the encrypted reading if only the lengths are judged.
  private let lengths: Int
  /// Whether the encrypted reading is by lengths alone, and neither the first record nor several in
  /// a row fit it.
  private let isOutOfSync: Bool

  init(_ image: FileImage, in area: Range<Int>, _ cipher: DemoCipher?) {
    let written = area.lowerBound..<(image.lastNonzero(in: area).map { $0 + 1 } ?? area.lowerBound)
    let sample = written.clamped(to: area.lowerBound..<area.lowerBound + Self.sampleCount)
    func score(_ plausibility: AndroidPlausibility) -> Int {
      let gaps = AndroidGrammar(image, .data, plausibility).gaps(in: sample)
      return AndroidShapes(image, in: sample, around: gaps).reduce(0) {
        $0 + (plausibility.accepts($1) ? $1.range.count : 0)
      }
    }
    count = sample.count
    plain = score(AndroidPlausibility(image))
    encrypted = score(AndroidPlausibility(image, encryptedBy: cipher))
    // With a wrong key nothing decrypts, and only the lengths are evidence.
    let byLengths = AndroidPlausibility(image, encryptedBy: nil)
    lengths = cipher == nil ? encrypted : score(byLengths)
    isOutOfSync = cipher == nil && !Self.isInSync(image, sample, byLengths)
  }

  /// Returns whether the first record is plausible, or at least ``runCount`` in a row are.
  private static func isInSync(
    _ image: FileImage, _ sample: Range<Int>, _ plausibility: AndroidPlausibility
  ) -> Bool {
    var shapes = AndroidShapes(image, in: sample)
    if let first = shapes.next(), plausibility.accepts(first) { return true }
    let gaps = AndroidGrammar(image, .data, plausibility).gaps(in: sample)
    var (run, end) = (0, 0)
    for shape in AndroidShapes(image, in: sample, around: gaps) {
      let isNext = shape.range.lowerBound == end && plausibility.accepts(shape)
      run = isNext ? run + 1 : plausibility.accepts(shape) ? 1 : 0
      end = shape.range.upperBound
      if run == runCount { return true }
    }
    return false
  }

  /// Returns whether the records are encrypted.
  ///
  /// The reading that the header states needs less evidence.
  func isEncrypted(asStated isStated: Bool) -> Bool {
    // In random bytes, either reading finds something; the one by lengths finds records all over.
    let best = max(encrypted, lengths / 2)
    return isStated
      ? best * 4 >= plain || plain * 8 < count
      : best > plain * 4 && best * 8 > count && !isOutOfSync
  }
}
