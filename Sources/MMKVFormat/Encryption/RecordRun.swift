import KVBytes

/// Records that follow each other in decrypted bytes, where nothing says that they begin.
struct RecordRun {
  private static let plausibility = Plausibility(expiry: .unknown, expectsTextKeys: true)

  let range: Range<Int>
  let shapes: [RecordShape]
  /// How much likelier they are in a log than in noise, as the log2 of that.
  let bits: Double

  /// Reads the records from `start` of `image` on; `nil` if there are fewer than two.
  init?(at start: Int, of image: FileImage, upTo limit: Int) {
    guard start + 1 < limit, 1...127 ~= image[start], image[start + 1] >= 0x20,
      image[start + 1] != 0x7f
    else { return nil }
    var cursor = ByteCursor(image.storageSpan, in: start..<limit)
    var shapes: [RecordShape] = []
    while case .success(let shape) = RecordShape.read(&cursor), !shape.key.isEmpty,
      Self.plausibility.accepts(shape, in: image)
    {
      shapes.append(shape)
    }
    guard shapes.count > 1, let end = shapes.last?.range.upperBound,
      let odds = NoiseOdds(of: start..<end, in: image, by: .any)
    else { return nil }
    range = start..<end
    self.shapes = shapes
    // Nothing says where the last record must end.
    bits = odds.bits - Logarithm.base2(Double(end - start))
  }
}
