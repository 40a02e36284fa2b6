/// Operators that replace bytes with random ones.
extension DamageOperator {
  private static let noiseCount = 3...8
  private static let burstCount = 16..<256

  static let noise: [DamageOperator] = [
    DamageOperator(
      "noise", "3 to 8 scattered bytes of the log change",
      needs: "the log is too short"
    ) { target, generator in
      guard let log = target.logs.randomElement(using: &generator) else { return nil }
      var offsets = Set<Int>()
      let count = min(Int.random(in: noiseCount, using: &generator), log.range.count)
      while offsets.count < count { offsets.insert(Int.random(in: log.range, using: &generator)) }
      // The offsets are sorted because the order of a set does not depend on the seed.
      let edits = offsets.sorted().map {
        other(at: $0..<$0 + 1, of: log.file, target, &generator)
      }
      return Damage(edits)
    },
    DamageOperator(
      "burst", "16 to 255 consecutive bytes of the log change", needs: "the log is too short"
    ) { target, generator in
      guard let log = target.logs.randomElement(using: &generator), !log.range.isEmpty else {
        return nil
      }
      let start = Int.random(in: log.range, using: &generator)
      let count = Int.random(in: burstCount, using: &generator)
      let range = start..<min(start + count, log.range.upperBound)
      return Damage([other(at: range, of: log.file, target, &generator)])
    },
  ]

  /// Returns an edit with random bytes, each of which differs from the one it replaces.
  static func other(
    at range: Range<Int>, of file: String, _ target: DamageTarget,
    _ generator: inout SeededGenerator
  ) -> FileEdit {
    let old = target.image[file]?.bytes ?? []
    return FileEdit(
      file, range, range.map { old[$0] ^ UInt8.random(in: 1 ... .max, using: &generator) })
  }
}
