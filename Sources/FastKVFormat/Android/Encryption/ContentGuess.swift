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
      image.bytes, area, AndroidPlausibility(isEncrypted: false, cipher: nil), budget: area.count)
    return trial.decodes() ? false : nil
  }

  private var asStated: Bool? {
    let stated = AndroidPlausibility(isEncrypted: isStatedEncrypted, cipher: cipher)
    let first = AndroidShapes(image, in: area).prefix(Self.chainCount)
    guard first.contains(where: { _ in true }),
      first.allSatisfy({ stated.accepts($0, image.storageSpan) })
    else {
      return nil
    }
    return isStatedEncrypted
  }

  private var asLoaded: Bool? {
    guard !isStatedEncrypted, isVerified, !area.isEmpty else { return nil }
    let judge = RecordJudge(copy: DecodedCopy(plain: image, as: .data))
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

  /// The number of bytes in the sample.
  private let count: Int
  private let plain: Int
  private let encrypted: Int

  init(_ image: FileImage, in area: Range<Int>, _ cipher: DemoCipher?) {
    let written = area.lowerBound..<(image.lastNonzero(in: area).map { $0 + 1 } ?? area.lowerBound)
    let sample = written.clamped(to: area.lowerBound..<area.lowerBound + Self.sampleCount)
    func score(_ plausibility: AndroidPlausibility) -> Int {
      let gaps = AndroidGrammar(image, .data, plausibility).gaps(in: sample)
      return AndroidShapes(image, in: sample, around: gaps).reduce(0) {
        $0 + (plausibility.accepts($1, image.storageSpan) ? $1.range.count : 0)
      }
    }
    count = sample.count
    plain = score(AndroidPlausibility(isEncrypted: false, cipher: nil))
    encrypted = score(AndroidPlausibility(isEncrypted: true, cipher: cipher))
  }

  /// Returns whether the records are encrypted.
  ///
  /// The reading that the header states needs less evidence.
  func isEncrypted(asStated isStated: Bool) -> Bool {
    isStated
      ? encrypted * 4 >= plain || plain * 8 < count
      : encrypted > plain * 4 && encrypted * 8 > count
  }
}
