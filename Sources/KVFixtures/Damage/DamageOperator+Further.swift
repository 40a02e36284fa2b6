/// Operators whose damage resembles other damage, or leaves little evidence.
extension DamageOperator {
  private static let sector = 512

  /// Operators that damage several places in one record or in the log.
  static let manyBits: [DamageOperator] = [
    several("two-bits", "two bits of the log are flipped", 2, inRecord: false, .flippedBit),
    several(
      "two-bits-record", "two bits of one record are flipped", 2, inRecord: true, .flippedBit),
    several("three-bits", "three bits of one record are flipped", 3, inRecord: true, .flippedBit),
    several("two-bytes", "two bytes of one record change", 2, inRecord: true, .otherByte),
    several("two-bytes-log", "two bytes of the log change", 2, inRecord: false, .otherByte),
    DamageOperator(
      "short-burst", "2 to 15 consecutive bytes of the log change", needs: tooShort
    ) { target, generator in
      place(of: 2...15, target, &generator).map { log, range in
        Damage([other(at: range, of: log.file, target, &generator)])
      }
    },
  ]

  /// Operators that move, duplicate, insert, delete or revert runs of bytes.
  static let manyBlocks: [DamageOperator] = [
    DamageOperator(
      "exchange-blocks", "two runs of 8, 16, 32 or 64 bytes of the log are swapped",
      needs: tooShort
    ) { target, generator in
      let count = 8 << Int.random(in: 0...3, using: &generator)
      guard let log = target.logs.randomElement(using: &generator),
        let bytes = target.image[log.file]?.bytes
      else { return nil }
      var starts = Array(stride(from: log.range.lowerBound, to: log.range.upperBound, by: count))
      starts.removeAll { $0 + count > log.range.upperBound }
      starts.shuffle(using: &generator)
      guard starts.count > 1, starts[0] != starts[1] else { return nil }
      let (one, two) = (starts[0]..<starts[0] + count, starts[1]..<starts[1] + count)
      return Damage(
        [
          FileEdit(log.file, one, Array(bytes[two])), FileEdit(log.file, two, Array(bytes[one])),
        ], reordersLog: true)
    },
    DamageOperator(
      "repeat-block", "8 to 512 bytes of the log are duplicated, and the rest moves",
      needs: tooShort
    ) { target, generator in
      guard let (log, range) = place(of: 8...sector, target, &generator),
        let bytes = target.image[log.file]?.bytes
      else { return nil }
      return Damage([FileEdit(log.file, range.upperBound..<range.upperBound, Array(bytes[range]))])
    },
    DamageOperator(
      "copy-block", "8 to 512 bytes of the log overwrite others", needs: tooShort
    ) { target, generator in
      guard let (log, range) = place(of: 8...sector, target, &generator),
        let bytes = target.image[log.file]?.bytes
      else { return nil }
      let last = log.range.upperBound - range.count
      let start = Int.random(in: log.range.lowerBound...last, using: &generator)
      return Damage(
        [FileEdit(log.file, start..<start + range.count, Array(bytes[range]))], reordersLog: true)
    },
    DamageOperator(
      "insert-block", "17 to 512 random bytes are inserted into the log",
      needs: tooShort
    ) { target, generator in
      guard let log = target.logs.randomElement(using: &generator), !log.range.isEmpty else {
        return nil
      }
      let offset = Int.random(in: log.range, using: &generator)
      let count = Int.random(in: 17...sector, using: &generator)
      return Damage([FileEdit(log.file, offset..<offset, generator.bytes(count))])
    },
    DamageOperator(
      "delete-block", "17 to 512 bytes of the log are deleted", needs: tooShort
    ) { target, generator in
      place(of: 17...sector, target, &generator).map {
        Damage([FileEdit($0.log.file, $0.range, [])])
      }
    },
    stale(
      "stale-sector",
      "512 bytes of the file with the log revert to their state some operations ago", 512),
    stale(
      "stale-page", "a page of the file with the log reverts to its state some operations ago", 4096
    ),
  ]

  /// Operators that damage header fields, side files, or both copies of a log.
  static let manyFields: [DamageOperator] = [
    DamageOperator(
      "field-noise", "1 to 16 bytes of the fields change", needs: "there are no fields"
    ) { target, generator in
      guard let field = target.fields.randomElement(using: &generator),
        let bytes = target.image[field.file]?.bytes
      else { return nil }
      let count = Int.random(in: 1...16, using: &generator)
      let start = Int.random(in: field.range, using: &generator)
      let range = start..<min(start + count, bytes.count)
      // The fields of a header end where the log starts.
      let end = target.logs.first { $0.file == field.file }?.range.lowerBound ?? bytes.count
      let kept = range.lowerBound..<max(range.lowerBound, min(range.upperBound, end))
      return kept.isEmpty ? nil : Damage([other(at: kept, of: field.file, target, &generator)])
    },
    DamageOperator(
      "random-size", "the stored size of the log is a random number", needs: "no size is stored"
    ) { target, generator in
      let sizes = target.fields.filter { $0.kind == .size }
      guard let field = sizes.randomElement(using: &generator) else { return nil }
      let fileCount = target.image[field.file]?.bytes.count ?? 0
      var number = Int.random(in: 0...max(1, 2 * fileCount), using: &generator)
      let bytes = field.range.map { _ in
        defer { number >>= 8 }
        return UInt8(truncatingIfNeeded: number)
      }
      return Damage([FileEdit(field.file, field.range, bytes)])
    },
    DamageOperator(
      "both-copies", "one to four bytes of each copy of the log change, at different places",
      on: [.copies], needs: "there is only one copy"
    ) { target, generator in
      guard target.logs.count > 1 else { return nil }
      var edits: [FileEdit] = []
      for log in target.logs where !log.range.isEmpty {
        var offsets = Set<Int>()
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
          offsets.insert(Int.random(in: log.range, using: &generator))
        }
        let bytes = target.image[log.file]?.bytes ?? []
        edits += offsets.sorted().map {
          FileEdit(
            log.file, $0..<$0 + 1, [ByteEdit.otherByte.applied(to: bytes[$0], using: &generator)])
        }
      }
      return edits.isEmpty ? nil : Damage(edits)
    },
  ]

  // MARK: Helpers

  private static let tooShort = "the log is too short"

  /// The way in which one byte changes.
  private enum ByteEdit {
    case flippedBit
    case otherByte

    func applied(to byte: UInt8, using generator: inout SeededGenerator) -> UInt8 {
      switch self {
      case .flippedBit: byte ^ (1 << UInt8.random(in: 0..<8, using: &generator))
      case .otherByte: byte ^ UInt8.random(in: 1 ... .max, using: &generator)
      }
    }
  }

  private static func several(
    _ name: String, _ summary: String, _ count: Int, inRecord: Bool, _ edit: ByteEdit
  ) -> DamageOperator {
    DamageOperator(name, summary, needs: tooShort) { target, generator in
      guard let log = target.logs.randomElement(using: &generator),
        let bytes = target.image[log.file]?.bytes,
        let range = inRecord ? log.live.randomElement(using: &generator)?.range : log.range,
        range.count >= count
      else { return nil }
      var offsets = Set<Int>()
      while offsets.count < count { offsets.insert(Int.random(in: range, using: &generator)) }
      return Damage(
        offsets.sorted().map {
          FileEdit(log.file, $0..<$0 + 1, [edit.applied(to: bytes[$0], using: &generator)])
        })
    }
  }

  /// Returns a run of the log whose length is within `counts`.
  private static func place(
    of counts: ClosedRange<Int>, _ target: DamageTarget, _ generator: inout SeededGenerator
  ) -> (log: TargetLog, range: Range<Int>)? {
    guard let log = target.logs.randomElement(using: &generator),
      log.range.count > counts.lowerBound
    else { return nil }
    let count = min(Int.random(in: counts, using: &generator), log.range.count - 1)
    let last = log.range.upperBound - count
    let start = Int.random(in: log.range.lowerBound...last, using: &generator)
    return (log, start..<start + count)
  }

  /// Returns an operator that reverts a block to an earlier state, as a power loss does.
  private static func stale(_ name: String, _ summary: String, _ count: Int) -> DamageOperator {
    DamageOperator(name, summary, needs: "no earlier state with a different block is known") {
      target, generator in
      guard let log = target.logs.randomElement(using: &generator),
        let new = target.image[log.file]?.bytes, let old = target.earlier?[log.file]?.bytes
      else { return nil }
      let blocks = stride(from: 0, to: min(new.count, old.count), by: count).map {
        $0..<min($0 + count, new.count, old.count)
      }
      guard
        let block = blocks.filter({ new[$0] != old[$0] }).randomElement(using: &generator)
      else { return nil }
      var damage = Damage([FileEdit(log.file, block, Array(old[block]))], reordersLog: true)
      damage.isFromEarlier = true
      return damage
    }
  }
}
