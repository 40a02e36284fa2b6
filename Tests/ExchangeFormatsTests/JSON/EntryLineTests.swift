import ExchangeFormats
import Foundation
import KVFixtures
import KVModel
import KVSystem
import KVTestSupport
import SystemPackage
import Testing

/// Reading lines of entries.
///
/// Simple lines are written by hand, and match what a library would write.
struct EntryLineTests {
  /// The content of a field.
  private enum Field: Encodable {
    case text(String)
    case number(Int64)
    case flag(Bool)
    case texts([String])
    case null

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .text(let text): try container.encode(text)
      case .number(let number): try container.encode(number)
      case .flag(let flag): try container.encode(flag)
      case .texts(let texts): try container.encode(texts)
      case .null: try container.encodeNil()
      }
    }
  }

  /// Returns the fields that hold the content of a value, by the table in the page on conversion.
  private static func fields(of value: Value) -> [String: Field] {
    let content: (String, Field) =
      switch value {
      case .bool(let flag): ("value", .flag(flag))
      case .int32(let number): ("value", .number(Int64(number)))
      case .uint32(let number): ("value", .number(Int64(number)))
      case .int64(let number):
        ("value", number.magnitude <= 1 << 53 ? .number(number) : .text("\(number)"))
      case .uint64(let number):
        ("value", number <= 1 << 53 ? .number(Int64(number)) : .text("\(number)"))
      case .string(let text), .json(let text): ("value", .text(text))
      case .bytes(let bytes), .raw(let bytes):
        ("base64", .text(Data(bytes).base64EncodedString()))
      default: ("value", .null)
      }
    return ["type": .text(value.kind.rawValue), content.0: content.1]
  }

  private static func line(of entry: TypedEntry) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var fields = fields(of: entry.value)
    if let text = entry.key.text {
      fields["key"] = .text(text)
    } else {
      fields["key_base64"] = .text(Data(entry.key.bytes).base64EncodedString())
    }
    if entry.expiry != 0 { fields["expires_at"] = .number(Int64(entry.expiry)) }
    let origin = entry.origin
    fields["evidence"] = .text(origin.evidence.rawValue)
    if !origin.cautions.isEmpty { fields["cautions"] = .texts(origin.cautions.map(\.rawValue)) }
    if let place = origin.place {
      fields["file"] = .text(place.roleName)
      fields["offset"] = .number(Int64(place.extent.offset))
      fields["length"] = .number(Int64(place.extent.count))
    }
    if let store = origin.store { fields["store"] = .text(store.string) }
    return String(decoding: try encoder.encode(fields), as: UTF8.self)
  }

  @Test func aMessageNamesTheLineOfTheFile() {
    let text = "\n{\"kvfsck\":\"entries\",\"schema\":1}\n\r\n\n{\"key\":1}\n"
    let findings = JSONLinesFormat().table(Array(text.utf8)).findings
    #expect(findings.map(\.code) == ["json.line"])
    #expect(findings.first?.message.hasPrefix("line 5 is not an entry") == true)
  }

  /// An entry that can be read may still state more than is read.
  @Test(arguments: [
    (#""type":"int32","value":1,"value":2"#, ["json.duplicate-key"]),
    (#""key":"k","type":"null","value":null"#, ["json.duplicate-key"]),
    (#""type":"double","value":1,"value":2"#, ["json.duplicate-key"]),
    (#""type":"double","value":0.12345678901234567890123"#, ["json.number-rounded"]),
    (#""type":"double","value":9007199254740993"#, ["json.number-rounded"]),
    (#""type":"date","value":18446744073709551615"#, ["json.number-rounded"]),
    (#""type":"float","value":3.14159265358979"#, ["json.number-rounded"]),
    (#""type":"float","value":16777217"#, ["json.number-rounded"]),
    (#""type":"double","value":9007199254740992"#, []),
    (#""type":"double","value":0.1"#, []), (#""type":"float","value":0.1"#, []),
    (#""type":"float","value":0.10000000149011612"#, []),
    (#""type":"float","value":3.1415927"#, []),
    (#""type":"int64","value":"9007199254740993""#, []),
    (#""type":"string","value":"{\"a\":1,\"a\":2}""#, []),
    (#""type":"bytes","base64":"AAAA""#, []),
  ])
  func whatAnEntryDoesNotKeepIsReported(fields: String, codes: [String]) {
    let line = "{\"key\":\"k\",\(fields)}"
    let lines = JSONLinesFormat().table(
      Array("{\"kvfsck\":\"entries\",\"schema\":1}\n\n\(line)\n".utf8))
    #expect(lines.entries.count == 1)
    #expect(lines.findings.map(\.code) == codes)
    #expect(lines.findings.allSatisfy { $0.message.hasPrefix("line 3: ") && $0.losesContent })
    let document = JSONFormat().table(
      Array("{\"kvfsck\":\"entries\",\"schema\":1,\"entries\":[\n\(line)\n]}\n".utf8))
    #expect(document.entries.count == 1)
    #expect(document.findings.map(\.code) == codes)
    #expect(document.findings.allSatisfy { $0.message.hasPrefix("line 2: ") && $0.losesContent })
  }

  private static let scalars: [Unicode.Scalar] =
    (0...0x7f).map { Unicode.Scalar(UInt8($0)) } + ["é", "😀", "\u{2028}", "\u{feff}", "\u{85}"]

  private static func text(_ random: inout SeededGenerator) -> String {
    var text = ""
    for _ in 0..<Int.random(in: 0..<12, using: &random) {
      text.unicodeScalars.append(scalars.randomElement(using: &random) ?? "x")
    }
    return text
  }

  private static func value(_ random: inout SeededGenerator) -> Value {
    let bits =
      UInt64.random(in: 0 ... .max, using: &random) >> UInt64.random(in: 0..<64, using: &random)
    return switch Int.random(in: 0..<9, using: &random) {
    case 0: .bool(bits & 1 == 1)
    case 1: .int32(Int32(truncatingIfNeeded: bits))
    case 2: .uint32(UInt32(truncatingIfNeeded: bits))
    case 3: .int64(bits & 1 == 1 ? Int64(bitPattern: bits) : -Int64(truncatingIfNeeded: bits >> 1))
    case 4: .uint64(bits)
    case 5: .json(text(&random))
    case 6: .bytes(Array(text(&random).utf8))
    case 7: .null
    default: .string(text(&random))
    }
  }

  private static func entry(_ random: inout SeededGenerator) -> TypedEntry {
    let isText = Int.random(in: 0..<8, using: &random) > 0
    let hasPlace = Bool.random(using: &random)
    return TypedEntry(
      key: Key(Array(text(&random).utf8) + (isText ? [] : [0xff])), value: value(&random),
      expiry: Bool.random(using: &random) ? 0 : .random(in: 0 ... .max, using: &random),
      origin: EntryOrigin(
        Evidence.allCases.randomElement(using: &random) ?? .guess,
        cautions: Caution.allCases.filter { _ in Int.random(in: 0..<4, using: &random) == 0 },
        at: hasPlace
          ? RoleNames().place(Extent(.data, 8..<Int.random(in: 9..<1_000_000, using: &random)))
          : nil,
        in: Bool.random(using: &random) ? nil : FilePath("/a \"b\"/\(text(&random).utf8.count)")))
  }

  private func lines(_ entries: [TypedEntry], _ format: some EntryWriter) throws -> String {
    let folder = try TemporaryFolder()
    var files = PendingWrite(existing: .keep)
    try format.write(
      EntrySource(name: "s", formatName: "test", entries), to: folder.path.appending("s"),
      into: &files)
    try files.commit()
    return String(decoding: try folder.bytes(of: "s"), as: UTF8.self)
  }

  @Test(arguments: RandomSeeds.fresh(3))
  func aLineIsWhatALibraryWrites(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let entries = (0..<400).map { _ in Self.entry(&random) }
    let expected = try entries.map(Self.line)
    let lines = try lines(entries, JSONLinesFormat())
    #expect(lines.unicodeScalars.split(separator: "\n").dropFirst().map(String.init) == expected)
    let document = try self.lines(entries, JSONFormat())
    #expect(document.hasSuffix("[\n" + expected.joined(separator: ",\n") + "\n]}\n"))
  }
}
