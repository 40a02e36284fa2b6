import KVBytes
import KVModel

/// Whether records are encrypted, told from them and not from the header, which may be damaged.
///
/// The steps, in order; the first that tells decides:
///
/// 1. A log whose checksum matches, and that is text where text belongs, to its last byte, is in the
///    clear, where the header says that it is not.
/// 2. The first records are plausible as the header has it.
/// 3. A log whose checksum matches, and of which the engine loads every record, is in the clear, where the
///    header says so: keys need not look like names.
/// 4. One reading explains many more bytes than the other; see ``ContentScores``.
struct ContentGuess {
  /// How many plausible records in a row from the start are enough.
  private static let chainCount = 16

  let image: FileImage
  /// Which file it is.
  let role: FileRole
  /// The log, or where it is not known, all that it can be in.
  let area: Range<Int>
  let cipher: (any FastKVCipher)?
  /// Whether the header says that they are encrypted.
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

/// How many bytes of a sample are plausible records, read in the clear and as encrypted ones.
private struct ContentScores {
  /// How many bytes are looked at.
  private static let sampleCount = 1 << 16

  /// How many bytes of the sample were ever written.
  private let count: Int
  private let plain: Int
  private let encrypted: Int
  /// The same for encrypted records of which only the lengths are judged.
  private let lengths: Int

  init(_ image: FileImage, in area: Range<Int>, _ cipher: (any FastKVCipher)?) {
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
    // Under another key nothing decrypts, and the lengths alone must tell.
    lengths = cipher == nil ? encrypted : score(AndroidPlausibility(image, encryptedBy: nil))
  }

  /// Returns whether the records are encrypted; what the header says about that needs less evidence.
  func isEncrypted(asStated isStated: Bool) -> Bool {
    // In random bytes one reading or the other finds something.
    let best = max(encrypted, lengths / 2)
    return isStated
      ? best * 4 >= plain || plain * 8 < count : best > plain * 4 && best * 8 > count
  }
}
