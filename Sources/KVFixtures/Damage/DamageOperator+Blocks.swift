/// Operators that overwrite or exchange whole disk blocks.
extension DamageOperator {
  private static let sector = 512
  private static let page = 4096

  static let blocks: [DamageOperator] = [
    fill("zero-sector", "512 bytes of the file with the log become zeros", sector, with: 0),
    fill("zero-page", "a page of the file with the log becomes zeros", page, with: 0),
    fill("fill-sector", "512 bytes of the file with the log become 0xff", sector, with: 0xff),
    fill("fill-page", "a page of the file with the log becomes 0xff", page, with: 0xff),
    exchange("exchange-sectors", "two sectors of the log are swapped", sector),
    exchange("exchange-pages", "two pages of the log are swapped", page),
  ]

  private static func fill(
    _ name: String, _ summary: String, _ count: Int, with byte: UInt8
  ) -> DamageOperator {
    DamageOperator(name, summary, needs: needs(count)) { target, generator in
      guard let log = target.logs.randomElement(using: &generator),
        let block = blocks(of: log, target, count).randomElement(using: &generator)
      else { return nil }
      return Damage([
        FileEdit(log.file, block, [UInt8](repeating: byte, count: block.count))
      ])
    }
  }

  private static func exchange(_ name: String, _ summary: String, _ count: Int) -> DamageOperator {
    DamageOperator(name, summary, needs: needs(count)) { target, generator in
      guard let log = target.logs.randomElement(using: &generator),
        let bytes = target.image[log.file]?.bytes
      else { return nil }
      var all = blocks(of: log, target, count).filter { $0.count == count }
      guard all.count > 1 else { return nil }
      all.shuffle(using: &generator)
      return Damage(
        [
          FileEdit(log.file, all[0], Array(bytes[all[1]])),
          FileEdit(log.file, all[1], Array(bytes[all[0]])),
        ], reordersLog: true)
    }
  }

  private static func needs(_ count: Int) -> String {
    "the log does not span two blocks of \(count) bytes"
  }

  /// Returns the blocks that the log spans, or none if there is only one, because nothing would be
  /// left without it.
  private static func blocks(
    of log: TargetLog, _ target: DamageTarget, _ count: Int
  ) -> [Range<Int>] {
    let end = target.image[log.file]?.bytes.count ?? 0
    let first = log.range.lowerBound / count * count
    let all = stride(from: first, to: log.range.upperBound, by: count).map {
      $0..<min($0 + count, end)
    }
    return all.count > 1 ? all : []
  }
}
