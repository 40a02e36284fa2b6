/// Operators that make files shorter or longer.
extension DamageOperator {
  private static let runCount = 1...16
  private static let page = 4096
  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  static let lengths: [DamageOperator] = [
    DamageOperator(
      "truncate", "the file with the log is truncated inside the log", needs: "the log is too short"
    ) { target, generator in
      guard let log = target.logs.randomElement(using: &generator), log.range.count > 1,
        let count = target.image[log.file]?.bytes.count
      else { return nil }
      let end = Int.random(in: log.range.dropFirst(), using: &generator)
      return Damage([FileEdit(log.file, end..<count, [])])
    },
    DamageOperator(
      "truncate-page", "the file with the log is truncated at a page inside the log",
      needs: "the log ends in the first page"
    ) { target, generator in
      guard let log = target.logs.randomElement(using: &generator),
        let count = target.image[log.file]?.bytes.count
      else { return nil }
      let ends = Array(stride(from: page, to: log.range.upperBound, by: page))
      guard let end = ends.randomElement(using: &generator) else { return nil }
      return Damage([FileEdit(log.file, end..<count, [])])
    },
    DamageOperator(
      "insert", "1 to 16 random bytes are inserted into the log",
      needs: "the log is empty"
    ) { target, generator in
      guard let log = target.logs.randomElement(using: &generator), !log.range.isEmpty else {
        return nil
      }
      let offset = Int.random(in: log.range, using: &generator)
      let bytes = generator.bytes(Int.random(in: runCount, using: &generator))
      return Damage([FileEdit(log.file, offset..<offset, bytes)])
    },
    DamageOperator(
      "delete", "1 to 16 bytes of the log are deleted", needs: "the log is empty"
    ) { target, generator in
      guard let log = target.logs.randomElement(using: &generator), !log.range.isEmpty else {
        return nil
      }
      let start = Int.random(in: log.range, using: &generator)
      let count = Int.random(in: runCount, using: &generator)
      return Damage([
        FileEdit(log.file, start..<min(start + count, log.range.upperBound), [])
      ])
    },
    DamageOperator(
      "torn-append", "only the start of the last record was written; sizes and checksums are new",
      needs: "no earlier state without the last record is known"
    ) { target, generator in
      guard let log = target.logs.first, let last = log.records.last, last.range.count > 1,
        let old = target.earlier?[log.file]?.bytes, let new = target.image[log.file]?.bytes
      else { return nil }
      let start = Int.random(in: last.range.dropFirst(), using: &generator)
      let rest = start..<last.range.upperBound
      // If the file was shorter then, it was since extended with zeros.
      let before = rest.map { $0 < old.count ? old[$0] : 0 }
      guard before != Array(new[rest]) else { return nil }
      return Damage([FileEdit(log.file, rest, before)])
    },
  ]

  static let transfers: [DamageOperator] = [
    DamageOperator(
      "lf-to-crlf", "every LF in every file becomes CR LF, as in a transfer in text mode",
      hasPlacements: false, needs: "no file has an LF"
    ) { target, _ in
      transfer(target) { bytes, offset in
        bytes[offset] == lineFeed
          ? (offset..<offset + 1, [carriageReturn, lineFeed]) : nil
      }
    },
    DamageOperator(
      "crlf-to-lf", "every CR LF in every file becomes LF", hasPlacements: false,
      needs: "no file has a CR LF"
    ) { target, _ in
      transfer(target) { bytes, offset in
        bytes[offset] == carriageReturn && offset + 1 < bytes.count
          && bytes[offset + 1] == lineFeed
          ? (offset..<offset + 1, []) : nil
      }
    },
  ]

  private static func transfer(
    _ target: DamageTarget, _ edit: ([UInt8], Int) -> (Range<Int>, [UInt8])?
  ) -> Damage? {
    let edits = target.image.files.flatMap { file in
      file.bytes.indices.compactMap { offset in
        edit(file.bytes, offset).map { FileEdit(file.name, $0.0, $0.1) }
      }
    }
    return edits.isEmpty ? nil : Damage(edits)
  }
}
