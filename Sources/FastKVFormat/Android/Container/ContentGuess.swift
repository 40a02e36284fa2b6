import KVBytes
import KVModel

/// Whether records are encrypted, told from them and not from the header, which may be damaged.
struct ContentGuess {
  /// How many bytes are looked at.
  private static let sampleCount = 1 << 16
  /// How many plausible records in a row from the start are enough.
  private static let chainCount = 16

  let isEncrypted: Bool

  init(
    _ image: FileImage, in area: Range<Int>, _ cipher: (any FastKVCipher)?, _ header: AndroidHeader,
    isLog: Bool
  ) {
    // A log that holds and that is text where text belongs, to its last byte, is in the clear.
    if header.isEncrypted, isLog, !area.isEmpty {
      var trial = LogTrial(
        image.bytes, area, RecordTest(isEncrypted: false, cipher: nil), budget: area.count)
      if trial.decodes() {
        isEncrypted = false
        return
      }
    }
    let written = area.lowerBound..<(image.lastNonzero(in: area).map { $0 + 1 } ?? area.lowerBound)
    let sample = written.clamped(to: area.lowerBound..<area.lowerBound + Self.sampleCount)
    func score(_ plausibility: AndroidPlausibility) -> Int {
      let gaps = AndroidResynchronizer(image, .data, plausibility).gaps(in: sample)
      return AndroidShapes(image, in: sample, around: gaps).reduce(0) {
        $0 + (plausibility.accepts($1) ? $1.range.count : 0)
      }
    }
    let stated =
      header.isEncrypted
      ? AndroidPlausibility(image, encryptedBy: cipher) : AndroidPlausibility(image)
    let first = AndroidShapes(image, in: area).prefix(Self.chainCount)
    if first.contains(where: { _ in true }), first.allSatisfy({ stated.accepts($0) }) {
      isEncrypted = header.isEncrypted
      return
    }
    let own = score(stated)
    let plain = header.isEncrypted ? score(AndroidPlausibility(image)) : own
    let encrypted =
      header.isEncrypted ? own : score(AndroidPlausibility(image, encryptedBy: cipher))
    // Under another key nothing decrypts, and the lengths alone must tell.
    let lengths = cipher == nil ? encrypted : score(AndroidPlausibility(image, encryptedBy: nil))
    // In random bytes one reading or the other finds something.
    let best = max(encrypted, lengths / 2)
    isEncrypted =
      header.isEncrypted
      ? best * 4 >= plain || plain * 8 < sample.count : best > plain * 4 && best * 8 > sample.count
  }
}
