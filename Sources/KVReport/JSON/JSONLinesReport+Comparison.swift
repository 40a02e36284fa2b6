import KVBytes
public import KVConversion
import KVModel

extension JSONLinesReport {
  /// How two stores differ: a line for each difference, then how many there are.
  public func comparison(_ comparison: Comparison, exit: Int32) {
    for difference in comparison.differences { write(DifferenceLine(difference)) }
    write(
      ComparisonLine(
        added: comparison.count(of: .added), removed: comparison.count(of: .removed),
        changed: comparison.count(of: .changed), retyped: comparison.count(of: .retyped),
        same: comparison.sameCount, exit: Int(exit)))
  }
}

private struct DifferenceLine: Encodable {
  struct Side: Encodable {
    let value: ValueField
    let expiresAt: UInt32?
    let rawHex: String?
    let file: String?
    let offset: Int?
    let length: Int?

    enum CodingKeys: String, CodingKey {
      case value, file, offset, length
      case expiresAt = "expires_at"
      case rawHex = "raw_hex"
    }

    init(_ entry: TypedEntry) {
      value = ValueField(entry.value)
      expiresAt = entry.expiry == 0 ? nil : entry.expiry
      rawHex = entry.origin.raw.map { Hexadecimal.text($0) }
      file = entry.origin.extent?.file.name
      offset = entry.origin.extent?.offset
      length = entry.origin.extent?.count
    }
  }

  let type = "difference"
  let change: String
  let key: String?
  let keyHex: String
  let before: Side?
  let after: Side?

  enum CodingKeys: String, CodingKey {
    case type, change, key, before, after
    case keyHex = "key_hex"
  }

  init(_ difference: Comparison.Difference) {
    let bytes = (difference.after ?? difference.before)?.key ?? Key([])
    change = difference.change.rawValue
    key = bytes.text
    keyHex = Hexadecimal.text(bytes.bytes)
    before = difference.before.map(Side.init)
    after = difference.after.map(Side.init)
  }
}

private struct ComparisonLine: Encodable {
  let type = "comparison"
  let added: Int
  let removed: Int
  let changed: Int
  let retyped: Int
  let same: Int
  let exit: Int
}
