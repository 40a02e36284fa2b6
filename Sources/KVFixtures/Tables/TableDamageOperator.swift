import KVModel

/// A way to damage a store of a format without a log, with a stable name.
package struct TableDamageOperator: Sendable {
  /// The name of the operator.
  package let name: String
  /// A description of the damage, in one line.
  package let summary: String
  private let damage: @Sendable (SimulatedFile, inout SeededGenerator) -> [FileEdit]

  private static let sectorCount = 512

  /// All operators.
  package static let all: [TableDamageOperator] = [
    inPlace("flip-bit", "one bit changes", 1...1) { old, generator in
      old.map { $0 ^ 1 << UInt8.random(in: 0..<8, using: &generator) }
    },
    inPlace("zero-run", "8 to 64 consecutive bytes become zero", 8...64) { old, _ in
      [UInt8](repeating: 0, count: old.count)
    },
    TableDamageOperator("zero-sector", "512 bytes become zero, as of a sector that was lost") {
      file, generator in
      guard file.bytes.count > sectorCount else { return [] }
      let start =
        sectorCount
        * Int.random(
          in: 0...(file.bytes.count - 1) / sectorCount, using: &generator)
      let range = start..<min(start + sectorCount, file.bytes.count)
      return [FileEdit(file.name, range, [UInt8](repeating: 0, count: range.count))]
    },
    TableDamageOperator("cut", "the end of the file is lost") { file, generator in
      let start = Int.random(in: 0..<file.bytes.count, using: &generator)
      return [FileEdit(file.name, start..<file.bytes.count, [])]
    },
    TableDamageOperator("junk", "1 to 64 random bytes follow the file") { file, generator in
      let end = file.bytes.count
      let count = Int.random(in: 1...64, using: &generator)
      return [FileEdit(file.name, end..<end, generator.bytes(count))]
    },
    inPlace("delete-byte", "one byte is missing", 1...1) { _, _ in [] },
    TableDamageOperator("insert-byte", "one byte is added") { file, generator in
      let start = Int.random(in: 0..<file.bytes.count, using: &generator)
      return [FileEdit(file.name, start..<start, generator.bytes(1))]
    },
    TableDamageOperator("lose-line", "one line is missing, in files of several lines") {
      file, generator in
      let ends = file.bytes.indices.filter { file.bytes[$0] == 0x0a }.map { $0 + 1 }
      guard ends.count > 2 else { return [] }
      let index = Int.random(in: 1..<ends.count, using: &generator)
      return [FileEdit(file.name, ends[index - 1]..<ends[index], [])]
    },
  ]

  /// Returns the operator called `name`.
  package static func named(_ name: String) -> TableDamageOperator? {
    all.first { $0.name.hasSameBytes(as: name) }
  }

  private init(
    _ name: String, _ summary: String,
    _ damage: @escaping @Sendable (SimulatedFile, inout SeededGenerator) -> [FileEdit]
  ) {
    self.name = name
    self.summary = summary
    self.damage = damage
  }

  /// Returns an operator that replaces `counts` bytes at any place.
  private static func inPlace(
    _ name: String, _ summary: String, _ counts: ClosedRange<Int>,
    _ replacement: @escaping @Sendable ([UInt8], inout SeededGenerator) -> [UInt8]
  ) -> TableDamageOperator {
    TableDamageOperator(name, summary) { file, generator in
      let start = Int.random(in: 0..<file.bytes.count, using: &generator)
      let count = Int.random(in: counts, using: &generator)
      let range = start..<min(start + count, file.bytes.count)
      return [FileEdit(file.name, range, replacement(Array(file.bytes[range]), &generator))]
    }
  }

  /// Damages a copy of `target`, at a place that `seed` decides: in any of its files, and in a longer
  /// one more often.
  ///
  /// - Returns: `nil` if there is nothing to act on.
  package func apply(to target: TableTarget, seed: UInt64) -> DamagedStore? {
    var generator = SeededGenerator(seed: seed)
    let total = target.image.files.map(\.bytes.count).reduce(0, +)
    guard total > 0 else { return nil }
    var place = Int.random(in: 0..<total, using: &generator)
    for file in target.image.files {
      if place < file.bytes.count {
        let damage = Damage(damage(file, &generator))
        return damage.isEmpty ? nil : target.damaged(by: damage, named: name, seed: seed)
      }
      place -= file.bytes.count
    }
    return nil
  }
}
