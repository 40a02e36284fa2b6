import ExchangeFormats
import KVModel
import KVToolkit
import Testing

/// The parts of the command line that come from the catalog of formats.
@Suite("The catalog of formats")
struct CatalogTests {
  private static let catalog = FormatCatalog.standard

  private func names(_ accepts: (FormatCatalog.Entry) -> Bool) -> [String] {
    Self.catalog.entries.filter(accepts).map(\.name)
  }

  @Test("is what --format and --to offer, complete and refuse")
  func optionsTakeItsNames() async throws {
    let readable = names(\.isReadable)
    let writable = names(\.isWritable)
    #expect(readable.contains("mmkv") && !readable.contains("csv"))
    #expect(writable.contains("csv") && !writable.contains("wcdb"))
    let reading = try await Tool.run(["check", "--format", "none", "x"])
    let writing = try await Tool.run(["convert", "--to", "none", "x", "--dry-run"])
    for (refusal, offered) in [(reading, readable), (writing, writable)] {
      #expect(refusal.status == 16)
      let words = Set(refusal.errors.split { " ,.\n".contains($0) }.map(String.init))
      #expect(Set(offered).subtracting(words) == [])
    }
    let completion = try await Tool.run(["--generate-completion-script", "bash"]).output
    for list in [readable, writable] {
      let words = list.map { "'\($0)'" }.joined(separator: "$'\\n'")
      #expect(completion.contains("-W \(words)"))
    }
  }

  @Test("makes each format under the name that it has itself")
  func namesAreThoseOfTheFormats() {
    var options = FormatOptions(now: 0)
    options.table = SQLiteTableReader(table: "t", keyColumn: "k", valueColumn: "v")
    let stores = Self.catalog.stores(options).map { type(of: $0).name }
    #expect(stores == names(\.hasLog))
    let readers = Self.catalog.readers(options).map { type(of: $0).name }
    #expect(stores + readers == names(\.isReadable))
    for entry in Self.catalog.entries {
      #expect(entry.encoder.map { type(of: $0(options)).name } ?? entry.name == entry.name)
      #expect(Self.catalog[entry.name]?.name == entry.name)
    }
    // Without the columns, nothing can be read from a table.
    let without = Self.catalog.readers(FormatOptions(now: 0)).map { type(of: $0).name }
    #expect(Set(readers).subtracting(without) == ["sqlite3"])
  }
}
