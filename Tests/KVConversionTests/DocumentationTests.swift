import Foundation
import KVModel
import Testing

/// Checks that the table in `Docs/CONVERSION.md` agrees with the formats.
struct DocumentationTests {
  private static let path = #filePath.replacing(
    "Tests/KVConversionTests/DocumentationTests.swift", with: "Docs/CONVERSION.md")
  private static let begin = "<!-- what becomes of values: begin -->\n"
  private static let end = "<!-- what becomes of values: end -->\n"

  private static let rows: [(title: String, entry: TypedEntry)] = [
    row("bool", .bool(true)), row("int32", .int32(-5)), row("uint32", .uint32(5)),
    row("int64", .int64(5)), row("uint64", .uint64(5)), row("uint64 ≥ 2⁶³", .uint64(.max)),
    row("float", .float(0.1)),
    row("float NaN with a payload", .float(Float(bitPattern: 0x7fc0_0001))),
    row("double", .double(0.1)), row("double 1.0", .double(1)), row("double −0", .double(-0.0)),
    row("double NaN", .double(.nan)), row("date, whole seconds", .date(1_700_000_000)),
    row("date", .date(1_700_000_000.1)), row("string, ASCII", .string("text")),
    row("string", .string("höß")), row("string with U+0000", .string("\u{0}")),
    row("json", .json("{}")), row("bytes", .bytes([1])),
    row("keyed-archive", .keyedArchive(className: nil, Array("bplist00".utf8))),
    row("object", .object(className: "com.example.Thing", [1])),
    row("list&lt;string>", .list(.string(["a", "b"]))),
    row("list&lt;int32>", .list(.int32([1]))),
    row("string-set", .set(["a"])), row("string-set with null", .set(["a", nil])),
    row("array", .array([.string("a"), .int64(1)])),
    row("dictionary", .dictionary([.init("a", .int64(1))])), row("null", .null),
    row("raw", .raw([1, 65])),
    ("with expiry", TypedEntry(key: Key([97]), value: .bool(true), expiry: 2_000_000_000)),
    ("key not UTF-8", TypedEntry(key: Key([0xff]), value: .bool(true))),
    ("empty key", TypedEntry(key: Key([]), value: .bool(true))),
  ]

  private static func row(_ title: String, _ value: Value) -> (String, TypedEntry) {
    (title, TypedEntry(key: Key(Array("key".utf8)), value: value))
  }

  @Test func theTableOfConversionsIsTheCodes() throws {
    let page = try String(contentsOfFile: Self.path, encoding: .utf8)
    let parts = page.components(separatedBy: Self.begin)
    try #require(parts.count == 2)
    let rest = parts[1].components(separatedBy: Self.end)
    try #require(rest.count == 2)
    if ProcessInfo.processInfo.environment["KVFSCK_WRITE_GOLDEN"] == "1" {
      let new = parts[0] + Self.begin + Self.table + Self.end + rest[1]
      try new.write(toFile: Self.path, atomically: true, encoding: .utf8)
    } else {
      #expect(rest[0] == Self.table)
    }
  }

  /// The table, without the formats that keep every value, and with a row for all values of which
  /// the same becomes.
  private static var table: String {
    let formats = WritableFormat.all.filter { format in
      rows.contains { cell(format.encoder.fit($0.entry), of: $0.entry) != "=" }
    }
    var lines = [
      "| | " + formats.map(\.title).joined(separator: " | ") + " |",
      "|---|" + String(repeating: "---|", count: formats.count),
    ]
    var titles: [(row: String, titles: [String])] = []
    for (title, entry) in rows {
      let row = formats.map { cell($0.encoder.fit(entry), of: entry) }.joined(separator: " | ")
      if let index = titles.firstIndex(where: { $0.row == row }) {
        titles[index].titles.append(title)
      } else {
        titles.append((row, [title]))
      }
    }
    lines += titles.map { "| \($0.titles.joined(separator: "; ")) | \($0.row) |" }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func cell(_ fit: EntryFit, of entry: TypedEntry) -> String {
    guard let new = fit.entry else { return "–" }
    let codes = Set(fit.losses.map(\.code))
    let mark = codes.contains("convert.fragile-value") ? "\\*" : ""
    if new.hasSameContent(as: entry) { return "=" + mark }
    if codes.contains("convert.expiry-lost") { return "never expires" }
    let isLoss = fit.losses.contains { $0.severity > .note && $0.code != "convert.fragile-value" }
    let kind = new.value.kind.rawValue.replacing("<", with: "&lt;")
    return (isLoss ? "! " : "→ ") + kind + mark
  }
}
