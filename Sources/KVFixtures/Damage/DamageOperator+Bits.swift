/// Operators that flip one bit.
extension DamageOperator {
  /// Operators that flip a bit in a live record.
  static let bits: [DamageOperator] = [
    recordBit("flip-key", "a bit of a live record's key") { $0.keyRange },
    recordBit("flip-value", "a bit of a live record's value") { $0.valueRange },
    recordBit(
      "flip-key-length", "a bit before a live record's key: its length, its type"
    ) { $0.range.lowerBound..<$0.keyRange.lowerBound },
    recordBit(
      "flip-value-length", "a bit between a live record's key and its value: the value's length",
      on: [.valueLength]
    ) { $0.keyRange.upperBound..<$0.valueRange.lowerBound },
    recordBit(
      "flip-record-digest", "a bit after a live record's value: its checksum, the separator",
      on: [.recordTail]
    ) { $0.valueRange.upperBound..<$0.range.upperBound },
  ]

  /// Operators that flip a bit in a header or a side file.
  static let fieldBits: [DamageOperator] = [
    fieldBit(
      "flip-digest", "a bit of the log's stored checksum", .digest, [.logDigest]),
    fieldBit("flip-size", "a bit of the log's stored size", .size),
    fieldBit("flip-vector", "a bit of the cipher's vector", .vector, [.vector]),
    fieldBit(
      "flip-header", "a bit of another field: version, flags, magic, an unused size",
      .other, [.otherFields]),
  ]

  private static func recordBit(
    _ name: String, _ summary: String, on parts: Set<FixtureFormat.Part> = [],
    _ part: @escaping @Sendable (TargetRecord) -> Range<Int>
  ) -> DamageOperator {
    DamageOperator(name, summary, on: parts, needs: "no live record has such bytes") {
      target, generator in
      guard let log = target.logs.randomElement(using: &generator) else { return nil }
      let parts = log.live.map(part).filter { !$0.isEmpty }
      guard let range = parts.randomElement(using: &generator) else { return nil }
      return flip(in: range, of: log.file, target, &generator)
    }
  }

  private static func fieldBit(
    _ name: String, _ summary: String, _ kind: TargetField.Kind,
    _ parts: Set<FixtureFormat.Part> = []
  ) -> DamageOperator {
    DamageOperator(name, summary, on: parts, needs: "the store has no such field") {
      target, generator in
      let fields = target.fields.filter { $0.kind == kind }
      guard let field = fields.randomElement(using: &generator) else { return nil }
      return flip(in: field.range, of: field.file, target, &generator)
    }
  }

  private static func flip(
    in range: Range<Int>, of file: String, _ target: DamageTarget,
    _ generator: inout SeededGenerator
  ) -> Damage? {
    guard let bytes = target.image[file]?.bytes, range.upperBound <= bytes.count else { return nil }
    let offset = Int.random(in: range, using: &generator)
    let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &generator)
    return Damage([FileEdit(file, offset..<offset + 1, [bytes[offset] ^ bit])])
  }
}
