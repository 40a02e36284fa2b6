import KVBytes
import KVModel

/// Decides whether records are encrypted by looking at them, as the header may be damaged.
///
/// The first step that applies decides:
///
/// 1. The checksum matches, and every record is plausible without decryption, or the header says plain
///    and the engine loads every record. The log is plain; its keys need not look like names.
/// 2. The first records are plausible as the header says.
/// 3. One reading explains many more bytes than the other.
struct ContentGuess {
  let image: FileImage
  /// The file's role.
  let role: FileRole
  /// The range of the log, or if it is not known, the whole area that may contain it.
  let area: Range<Int>
  let cipher: (any FastKVCipher)?
  /// Whether the header says that the records are encrypted.
  let isStatedEncrypted: Bool
  /// Whether a checksum matches over `area`.
  let isVerified: Bool

  /// Whether the records are encrypted.
  ///
  /// - Complexity: O(count of the area).
  var isEncrypted: Bool {
    if isVerified, !area.isEmpty, isPlainLog { return false }
    let stated = RecordTest(isEncrypted: isStatedEncrypted, cipher: cipher)
    let first = Array(AndroidShapes(image, in: area).prefix(AndroidPriors.chainCount))
    if !first.isEmpty, first.allSatisfy({ stated.accepts($0, image.storageSpan) }) {
      return isStatedEncrypted
    }
    return isLikelyEncrypted
  }

  private var isPlainLog: Bool {
    let judge = RecordJudge(copy: DecodedCopy(plain: image, as: role))
    var end = area.lowerBound
    for shape in AndroidShapes(image, in: area) {
      let isFit =
        isStatedEncrypted
        ? RecordTest.plain.passes(shape, image.storageSpan) : judge.verdict(on: shape).isLoaded
      guard isFit else { return false }
      end = shape.range.upperBound
    }
    return end == area.upperBound
  }

  /// Whether the encrypted reading explains more bytes of a sample than the plain one.
  ///
  /// The reading that the header states needs less evidence.
  private var isLikelyEncrypted: Bool {
    let written = area.lowerBound..<(image.lastNonzero(in: area).map { $0 + 1 } ?? area.lowerBound)
    let sample = written.clamped(
      to: area.lowerBound..<area.lowerBound + AndroidPriors.sampleCount)
    let plain = score(.plain, in: sample)
    let encrypted = score(RecordTest(isEncrypted: true, cipher: cipher), in: sample)
    // With a wrong key nothing decrypts, and only the lengths are evidence. In random bytes, either
    // reading finds something; the one by lengths finds records all over.
    let byLengths = RecordTest(isEncrypted: true, cipher: nil)
    let best =
      cipher == nil ? encrypted : max(encrypted, score(byLengths, in: sample) / 2)
    return isStatedEncrypted
      ? best * 4 >= plain || plain * 8 < sample.count
      : best > plain * 4 && best * 8 > sample.count
        && (cipher != nil || isInSync(sample, byLengths))
  }

  private func shapes(in sample: Range<Int>, _ test: RecordTest) -> AndroidShapes {
    let gaps = AndroidGrammar(image, .data, test).gaps(in: sample)
    return AndroidShapes(image, in: sample, around: gaps)
  }

  private func score(_ test: RecordTest, in sample: Range<Int>) -> Int {
    shapes(in: sample, test).reduce(0) {
      $0 + (test.accepts($1, image.storageSpan) ? $1.range.count : 0)
    }
  }

  /// Returns whether the first record is plausible, or several in a row are.
  private func isInSync(_ sample: Range<Int>, _ test: RecordTest) -> Bool {
    var all = AndroidShapes(image, in: sample)
    if let first = all.next(), test.accepts(first, image.storageSpan) { return true }
    var (run, end) = (0, 0)
    for shape in shapes(in: sample, test) {
      let isFit = test.accepts(shape, image.storageSpan)
      run = !isFit ? 0 : shape.range.lowerBound == end ? run + 1 : 1
      end = shape.range.upperBound
      if run == AndroidPriors.runCount { return true }
    }
    return false
  }
}
