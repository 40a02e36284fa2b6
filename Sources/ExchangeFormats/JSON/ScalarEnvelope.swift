import KVBytes
import KVModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A value that is not a container, as one JSON value whose type is stated separately.
enum ScalarEnvelope {
  /// The largest integer that every JSON reader distinguishes from its neighbors.
  private static let exact: UInt64 = 1 << 53

  /// Returns whether every JSON reader distinguishes `number` from its neighbors.
  static func isExact(_ number: some FixedWidthInteger) -> Bool { number.magnitude <= exact }

  /// Returns whether `value` is a number that JSON cannot represent: NaN, ±∞, or -0.
  static func needsBits(_ value: Value) -> Bool {
    switch value {
    case .float(let number): needsBits(number)
    case .double(let number), .date(let number): needsBits(number)
    default: false
    }
  }

  private static func needsBits(_ number: some BinaryFloatingPoint) -> Bool {
    !number.isFinite || number.isZero && number.sign == .minus
  }

  /// Where a value stands, which decides whether digits in quotation marks are the bits of a number.
  enum Place {
    /// In a field for values: they are not.
    case value
    /// In a field for bits.
    case bits
    /// In a list, whose numbers have no such fields: they are.
    case element
  }

  /// Decodes the value of type `kind`.
  ///
  /// - Throws: An error if `kind` is not the type of a single value, or if the value does not have
  ///   it.
  static func decode(
    _ kind: Value.Kind, from container: any SingleValueDecodingContainer, in place: Place = .value
  ) throws -> Value {
    switch kind {
    case .bool: .bool(try container.decode(Bool.self))
    case .int32: .int32(try integer(container))
    case .uint32: .uint32(try integer(container))
    case .int64: .int64(try integer(container))
    case .uint64: .uint64(try integer(container))
    case .float:
      .float(
        try bits(container, place).map { Float(bitPattern: $0) } ?? number(container))
    case .double:
      .double(try bits(container, place).map { Double(bitPattern: $0) } ?? number(container))
    case .date:
      .date(try bits(container, place).map { Double(bitPattern: $0) } ?? number(container))
    case .string: .string(try container.decode(String.self))
    case .json: .json(try container.decode(String.self))
    case .bytes, .keyedArchive, .object: .bytes(try base64(container))
    case .raw: .raw(try base64(container))
    default: throw unknown(kind, container.codingPath)
    }
  }

  /// Returns the error for an unknown type, or for a type that needs other fields.
  static func unknown(_ kind: Value.Kind, _ path: [any CodingKey]) -> DecodingError {
    wrong("there is no type \"\(kind)\" with these fields", path)
  }

  private static func wrong(_ words: String, _ path: [any CodingKey]) -> DecodingError {
    DecodingError.dataCorrupted(.init(codingPath: path, debugDescription: words))
  }

  /// Returns the number, which may be out of range.
  ///
  /// In that case, the error that the decoder throws has no place.
  private static func number<Number: BinaryFloatingPoint & Decodable>(
    _ container: any SingleValueDecodingContainer
  ) throws -> Number {
    do {
      return try container.decode(Number.self)
    } catch let error as DecodingError {
      throw error
    } catch {
      throw wrong(
        "0, or a number from ±\(Number.leastNonzeroMagnitude) to ±\(Number.greatestFiniteMagnitude), "
          + "is expected here", container.codingPath)
    }
  }

  private static func integer<Number: FixedWidthInteger & Decodable>(
    _ container: any SingleValueDecodingContainer
  ) throws -> Number {
    if let text = try? container.decode(String.self) {
      // Swift also accepts a plus sign, and the minus sign of -0 for unsigned types.
      let isNegative = Number.isSigned && text.utf8.first == UInt8(ascii: "-")
      let number = isNegative ? Number(text) : Number(digits: text, radix: 10)
      if let number { return number }
    } else {
      do {
        return try container.decode(Number.self)
      } catch let error as DecodingError {
        throw error
      } catch {
        // The number is out of range, and the error of the decoder has no place.
      }
    }
    throw wrong(DecodingError.noun(for: Number.self) + " is expected here", container.codingPath)
  }

  /// Returns the bits that are spelled with all their hexadecimal digits; `nil` if the value is a
  /// number.
  private static func bits<Bits: FixedWidthInteger>(
    _ container: any SingleValueDecodingContainer, _ place: Place
  ) throws -> Bits? {
    let text = try? container.decode(String.self)
    guard let text, place != .value else {
      if place == .bits || text != nil {
        throw wrong(
          place == .bits
            ? "the bits of a number are text with \(Bits.bitWidth / 4) hexadecimal digits"
            : "a number without quotation marks is expected here", container.codingPath)
      }
      return nil
    }
    guard text.utf8.count == Bits.bitWidth / 4, let bits = Bits(digits: text, radix: 16) else {
      throw wrong("\(Bits.bitWidth / 4) hexadecimal digits are expected here", container.codingPath)
    }
    return bits
  }

  private static func base64(_ container: any SingleValueDecodingContainer) throws -> [UInt8] {
    let text = try container.decode(String.self)
    guard let data = Data(base64Encoded: text) else {
      throw wrong("it is not base64", container.codingPath)
    }
    return [UInt8](data)
  }
}
