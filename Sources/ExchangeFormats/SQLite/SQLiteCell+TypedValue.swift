import KVBytes
import KVModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension SQLiteCell {
  /// Creates the cell for `value`, as the table of ``SQLiteFormat`` states.
  init(_ value: Value) {
    switch value {
    case .bool(let bool): self = .integer(bool ? 1 : 0)
    case .int32(let number): self = .integer(Int64(number))
    case .uint32(let number): self = .integer(Int64(number))
    case .int64(let number): self = .integer(number)
    case .uint64(let number):
      self = Int64(exactly: number).map { .integer($0) } ?? .text(String(number))
    case _ where ScalarEnvelope.needsBits(value): self = .text(ValueEnvelope(value).json)
    case .float(let number): self = .real(Double(number))
    case .double(let number), .date(let number): self = .real(number)
    case .string(let text), .json(let text): self = .text(text)
    case .bytes(let bytes), .raw(let bytes): self = .blob(bytes)
    default: self = .text(ValueEnvelope(value).json)
    }
  }

  /// Returns the value of type `kind` in the cell, as the table of ``SQLiteFormat`` states.
  ///
  /// Returns `nil` if the cell cannot contain that type.
  func value(ofKind kind: Value.Kind, decoder: JSONDecoder) -> Value? {
    switch (kind, self) {
    case (.bool, .integer(let number)): number == 0 || number == 1 ? .bool(number == 1) : nil
    case (.int32, .integer(let number)): Int32(exactly: number).map { .int32($0) }
    case (.uint32, .integer(let number)): UInt32(exactly: number).map { .uint32($0) }
    case (.int64, .integer(let number)): .int64(number)
    case (.uint64, .integer(let number)): UInt64(exactly: number).map { .uint64($0) }
    case (.uint64, .text(let text)): UInt64(digits: text, radix: 10).map { .uint64($0) }
    case (.float, .real(let number)): Float(exactly: number).map { .float($0) }
    case (.double, .real(let number)): .double(number)
    case (.date, .real(let number)): .date(number)
    case (.string, .text(let text)): .string(text)
    case (.json, .text(let text)): .json(text)
    case (.bytes, .blob(let bytes)): .bytes(bytes)
    case (.raw, .blob(let bytes)): .raw(bytes)
    case (.bool, _), (.int32, _), (.uint32, _), (.int64, _), (.bytes, _), (.raw, _): nil
    case (_, .text(let json)):
      // The decoding error does not matter, because the reader reports the type and the column.
      (try? decoder.decode(ValueEnvelope.self, from: Data(json.utf8)))?.value.ifOf(kind)
    default: nil
    }
  }
}

extension Value {
  fileprivate func ifOf(_ kind: Value.Kind) -> Value? { self.kind == kind ? self : nil }
}
