import ExchangeFormats
import Foundation
import KVBytes
import KVFixtures
import KVModel
import KVSystem
import KVTestSupport
import SystemPackage
import Testing

/// The two JSON forms of a value: one that `dump --json` prints, and one that `convert` writes and
/// reads.
///
/// They differ intentionally. The first has bytes in hexadecimal and literal numbers, for people.
/// The second has bytes in base64, and numbers in a form that every JSON reader gets exactly.
/// Everything else must be the same.
struct ValueFormTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(
    "What dump prints of a value says the same as what convert writes of it",
    arguments: RandomSeeds.fresh(2))
  func bothFormsSayTheSame(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let values = Samples.values + (0..<400).map { RandomValue.make($0, using: &random) }
    #expect(Set(values.map(\.kind)) == Set(Value.Kind.allCases))
    let path = scratch.path("values.jsonl")
    var files = PendingWrite(existing: .keep)
    try JSONLinesFormat().write(
      EntrySource(
        name: "values", formatName: "test",
        values.enumerated().map {
          TypedEntry(key: Key(Array("k\($0.offset)".utf8)), value: $0.element)
        }),
      to: FilePath(path), into: &files)
    try files.commit()
    let lines = try await Tool.run(["dump", "--json", path]).objects("entry")
    #expect(lines.count == values.count)
    for (line, value) in zip(lines, values) {
      let written = try JSON(parsing: ValueEnvelope(value).json)
      let printed = try #require(line["value"])
      #expect(try written.printed() == printed, "seed \(seed): \(value)")
    }
  }
}

extension JSON {
  /// Returns the form of a value that `dump` prints, made from the form that `convert` writes.
  fileprivate func printed() throws -> JSON {
    let kind = try #require(self["type"]?.string)
    var members: [String: JSON] = ["kind": .string(kind)]
    if let name = self["class"] { members["class"] = name }
    if let base64 = self["base64"]?.string {
      members["hex"] = try Self.hexadecimal(base64)
      return .object(members)
    }
    members["value"] =
      switch kind {
      case "array": .array(try #require(self["value"]?.array).map { try $0.printed() })
      case "dictionary":
        .array(
          try #require(self["value"]?.array).map { member in
            .object(["name": try #require(member["name"]), "value": try member.printed()])
          })
      case _ where kind.hasPrefix("list<"):
        .array(
          try #require(self["value"]?.array).map {
            try $0.element(String(kind.dropFirst(5).dropLast()))
          })
      default: try #require(self["value"] ?? self["bits"]).scalar(kind)
      }
    return .object(members)
  }

  /// Returns an element of a list of `kind`.
  private func element(_ kind: String) throws -> JSON {
    var members: [String: JSON] = ["kind": .string(kind)]
    if kind == "bytes" {
      members["hex"] = try Self.hexadecimal(try #require(string))
    } else {
      members["value"] = try scalar(kind)
    }
    return .object(members)
  }

  /// Returns a scalar value of `kind`.
  private func scalar(_ kind: String) throws -> JSON {
    guard case .string(let text) = self else { return self }
    switch kind {
    case "int64", "uint64": return try JSON(parsing: text)
    case "float":
      return try Self.special(Double(Float(bitPattern: try #require(UInt32(text, radix: 16)))))
    case "double", "date":
      return try Self.special(Double(bitPattern: try #require(UInt64(text, radix: 16))))
    default: return self
    }
  }

  /// Returns a number for which JSON has no literal, or negative zero.
  private static func special(_ number: Double) throws -> JSON {
    if number.isNaN { return .string("NaN") }
    if number.isInfinite { return .string(number < 0 ? "-Infinity" : "Infinity") }
    return try JSON(parsing: "-0")
  }

  private static func hexadecimal(_ base64: String) throws -> JSON {
    .string(Hexadecimal.text(try #require(Data(base64Encoded: base64))))
  }
}

/// Random values.
private enum RandomValue {
  /// Returns a value of the kind with this number.
  ///
  /// Nested values are of other kinds.
  static func make(_ ordinal: Int, using random: inout SeededGenerator, depth: Int = 0) -> Value {
    let kinds = Value.Kind.allCases
    let kind = kinds[ordinal % kinds.count]
    func some<T>(_ make: (inout SeededGenerator) -> T) -> [T] {
      (0..<Int.random(in: 0...4, using: &random)).map { _ in make(&random) }
    }
    if let element = kind.element {
      return .list(Value.List(kind: kind, some { scalar(element, &$0) }) ?? .bool([]))
    }
    switch kind {
    case .stringSet: return .set(some { Bool.random(using: &$0) ? text(&$0) : nil })
    case .array, .dictionary:
      let next = depth < 3 ? Int.random(in: 0..<kinds.count, using: &random) : 0
      let values = some { make(depth < 3 ? next : 0, using: &$0, depth: depth + 1) }
      return kind == .array
        ? .array(values)
        : .dictionary(values.enumerated().map { Value.Member("m\($0.offset)", $0.element) })
    default: return scalar(kind, &random)
    }
  }

  private static func scalar(_ kind: Value.Kind, _ random: inout SeededGenerator) -> Value {
    let bits = random.next() >> UInt64.random(in: 0...63, using: &random)
    return switch kind {
    case .bool: .bool(bits & 1 == 1)
    case .int32: .int32(Int32(truncatingIfNeeded: bits))
    case .uint32: .uint32(UInt32(truncatingIfNeeded: bits))
    case .int64:
      .int64(Int64(bitPattern: random.next()) >> Int64.random(in: 0...63, using: &random))
    case .uint64: .uint64(bits)
    case .float: .float(Float(bitPattern: UInt32(truncatingIfNeeded: random.next())))
    case .double: .double(Double(bitPattern: random.next()))
    case .date: .date(Double(Int64(truncatingIfNeeded: bits) % 4_000_000_000) / 8)
    case .json: .json("{\"a\":\(bits)}")
    case .bytes: .bytes(bytes(&random))
    case .raw: .raw(bytes(&random))
    case .keyedArchive: .keyedArchive(className: bits & 1 == 1 ? "NSDate" : nil, bytes(&random))
    case .object: .object(className: "a.B", bytes(&random))
    case .null: .null
    default: .string(text(&random))
    }
  }

  private static func bytes(_ random: inout SeededGenerator) -> [UInt8] {
    (0..<Int.random(in: 0...20, using: &random)).map { _ in
      UInt8.random(in: 0...255, using: &random)
    }
  }

  private static func text(_ random: inout SeededGenerator) -> String {
    String(
      String.UnicodeScalarView(
        (0..<Int.random(in: 0...12, using: &random)).compactMap { _ in
          Unicode.Scalar(UInt32.random(in: 0...0x2ff, using: &random))
        }))
  }
}
