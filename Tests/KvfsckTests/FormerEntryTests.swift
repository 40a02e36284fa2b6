import Foundation
import GRDB
import Testing

/// Removed and older rows of databases, as the commands show them.
struct FormerEntryTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    let queue = try DatabaseQueue(path: scratch.path + "/RKStorage")
    try queue.writeWithoutTransaction { database in
      try database.execute(
        sql: """
          PRAGMA secure_delete = OFF;
          CREATE TABLE catalystLocalStorage (key TEXT PRIMARY KEY, value TEXT NOT NULL);
          INSERT INTO catalystLocalStorage VALUES
            ('gone', '{"secret":1}'), ('changed', 'before'), ('kept', 'here');
          DELETE FROM catalystLocalStorage WHERE key = 'gone';
          UPDATE catalystLocalStorage SET value = printf('%060d', 1) WHERE key = 'changed';
          """)
    }
    try queue.close()
  }

  private func run(_ arguments: String...) async throws -> Outcome {
    try await Tool.run(arguments, in: scratch.path)
  }

  @Test func theHistoryHasRowsThatAreGone() async throws {
    let plain = try await run("dump", "--json", "RKStorage")
    #expect(try plain.objects("record").isEmpty)
    let history = try await run("dump", "--json", "--history", "RKStorage")
    #expect(try history.objects("entry").count == 2)
    let records = try history.objects("record")
    #expect(Set(records.map { $0["key"]?.string }) == ["gone", "changed"])
    for record in records {
      let isGone = record["key"]?.string == "gone"
      #expect(record["state"]?.string == (isGone ? "removed" : "superseded"))
      #expect(record["operation"]?.string == "put")
      #expect(record["page"]?.integer == 2)
      #expect(record["offset"]?.integer ?? 0 > 4096)
      #expect(record["file"]?.string == "data")
      #expect(record["evidence"]?.string == "guess")
    }
    let text = try await run("dump", "--history", "RKStorage")
    #expect(text.output.contains("removed     gone = json"), "\(text.testDescription)")
    #expect(!text.errors.contains("no history"))
  }

  @Test func aCheckCountsThem() async throws {
    let check = try await run("check", "RKStorage")
    #expect(check.status == 0)
    #expect(
      check.output.contains("Former entries that can still be read: 1 superseded, 1 removed"),
      "\(check.testDescription)")
    let summary = try await run("check", "--json", "RKStorage").objects("summary").first
    #expect(summary?["entries"]?.integer == 2)
    #expect(summary?["removed"]?.integer == 1)
    #expect(summary?["superseded"]?.integer == 1)
  }

  @Test func aConversionAndReportsHaveThem() async throws {
    let converted = try await run("convert", "RKStorage", "--to", "sqlite", "--out", "out.sqlite")
    #expect(converted.status == 0, "\(converted.testDescription)")
    let queue = try DatabaseQueue(path: scratch.path + "/out.sqlite")
    let records = try queue.read {
      try Row.fetchAll($0, sql: "SELECT key, state, CAST(raw AS TEXT) AS raw FROM records")
    }
    #expect(Set(records.map { $0["key"] as String }) == ["gone", "changed"])
    #expect(records.contains { $0["raw"] as String == "{\"secret\":1}" })
    let page = try await run("report", "RKStorage", "--out", "page.html")
    #expect(page.status == 0, "\(page.testDescription)")
    let tables = try await run("report", "RKStorage", "--to", "sqlite", "--out", "report.sqlite")
    #expect(tables.status == 0, "\(tables.testDescription)")
    let report = try DatabaseQueue(path: scratch.path + "/report.sqlite")
    let counts = try report.read {
      try Row.fetchOne($0, sql: "SELECT superseded, removed FROM stores")
    }
    #expect(counts?["superseded"] == 1 && counts?["removed"] == 1)
    #if Encryption
      let redacted = try await run("dump", "--history", "--json", "--redact", "RKStorage")
      #expect(redacted.output.contains("\"removed\""))
      #expect(!redacted.output.contains("secret"))
      #expect(!redacted.output.contains("736563726574"))
    #endif
  }
}
