import ExchangeFormats
import Foundation
import GRDB
import KVBytes
import KVCryptography
import KVInput
import KVModel
import KVSystem
import KVTestSupport
import SystemPackage
import Testing

/// Reading and writing kvfsck's own databases.
struct SQLiteFormatTests {
  private let format = SQLiteFormat()

  private func write(_ source: EntrySource, _ folder: borrowing TemporaryFolder) throws -> FilePath
  {
    let path = folder.path.appending("out.sqlite")
    var files = PendingWrite(existing: .keep)
    try format.write(source, to: path, into: &files)
    try files.commit()
    return path
  }

  private func change(_ path: FilePath, _ sql: String) throws {
    let queue = try DatabaseQueue(path: path.string)
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    try queue.close()
  }

  private var samples: EntrySource {
    EntrySource(name: "samples", formatName: "test", Samples.entries)
  }

  @Test func everyEntryComesBack() throws {
    let folder = try TemporaryFolder()
    let path = try write(samples, folder)
    let files = try format.discover(at: path)
    #expect(format.recognition(of: files).likelihood == 100)
    let table = format.read(files)
    #expect(table.findings == [])
    #expect(table.entries.count == Samples.entries.count)
    for (back, entry) in zip(table.entries, Samples.entries) {
      #expect(back.hasSameContent(as: entry), "\(entry.value) came back as \(back.value)")
      #expect(format.fit(entry).entry?.hasSameContent(as: entry) == true)
      #expect(format.fit(entry).losses == [])
    }
    #expect(try folder.names() == ["out.sqlite"])
  }

  /// What is known about an entry's record is not that of a row in a database, which anyone can
  /// change.
  @Test func keysExpiryAndEvidenceComeBack() throws {
    let folder = try TemporaryFolder()
    let cautions: [Caution] = [.mayBeDamaged, .mayBeStale]
    func entries(_ guess: EntryOrigin, _ verified: EntryOrigin) -> [TypedEntry] {
      [
        TypedEntry(key: Key([0xff, 0x00]), value: .int32(1), expiry: .max, origin: guess),
        TypedEntry(key: Key([]), value: .null, origin: verified),
      ] + texts
    }
    let texts = [
      TypedEntry(key: Key(Array("a\u{0}b".utf8)), value: .bool(true)),
      TypedEntry(key: Key(Array("a\u{0}c".utf8)), value: .bool(false)),
    ]
    let written = entries(
      EntryOrigin(
        .guess, cautions: cautions, at: RoleNames().place(Extent(.data, 16..<21)), raw: [0, 1]),
      EntryOrigin(.checksum, raw: []))
    let path = try write(EntrySource(name: "x", formatName: "test", written), folder)
    let read = format.read(try format.discover(at: folder.path))
    #expect(
      read.entries == entries(EntryOrigin(.guess, cautions: cautions), EntryOrigin(.structure)))
    #expect(read.findings == [])
    let queue = try DatabaseQueue(path: path.string)
    let keys = try queue.read {
      try String?.fetchAll($0, sql: "SELECT hex(key) || typeof(key) FROM entries ORDER BY rowid")
    }
    #expect(keys == ["null", "text", "610062text", "610063text"])
  }

  @Test(arguments: ["-5", "'soon'", "4294967296", "1.5"])
  func anExpiryTimeThatIsNoneIsReported(_ time: String) throws {
    let folder = try TemporaryFolder()
    let path = try write(
      EntrySource(
        name: "x", formatName: "test",
        [TypedEntry(key: Key([0x61]), value: .bool(true), expiry: 7)]), folder)
    try change(path, "UPDATE entries SET expires_at = \(time)")
    let read = format.read(try format.discover(at: path))
    #expect(read.entries.map(\.expiry) == [0])
    #expect(read.findings.map(\.code) == ["sqlite.value"])
  }

  @Test func historyFindingsAndFilesAreWritten() throws {
    let folder = try TemporaryFolder()
    let image = FileImage([1, 2, 3])
    let record = HistoricRecord(
      key: Key([0x6b]), operation: "put", state: "superseded",
      origin: EntryOrigin(.corrected, at: RoleNames().place(Extent(.data, 4..<9)), raw: [7]))
    let side = FileRole(16)
    let files = [
      StoreFile(.data, at: "/a/b", FileImage([])), StoreFile(side, at: "/a/b.crc", image),
    ]
    .numbered(as: [side: "side"])
    let source = EntrySource(
      name: "x", formatName: "test", files: [files[1]],
      findings: [
        StoreFinding(
          Finding(LogFindings.emptied, at: Extent(side, 0..<2), "w\u{0}rds"), in: files)
      ],
      entries: { (_) throws(ConversionError) in },
      records: { (body) throws(ConversionError) in try body(record) })
    let queue = try DatabaseQueue(path: write(source, folder).string)
    try queue.read { database in
      let records = try Row.fetchAll(database, sql: "SELECT * FROM records")
      #expect(
        records == [
          [
            "key": "k", "key_bytes": Data([0x6b]), "operation": "put", "state": "superseded",
            "raw": Data([7]), "store": nil, "file": "data", "offset": 4, "length": 5,
            "evidence": "corrected", "cautions": nil,
          ]
        ])
      let findings = try Row.fetchAll(
        database,
        sql: """
          SELECT code, severity, store, file, "offset", length, hex(message) AS words FROM findings
          """)
      #expect(
        findings == [
          [
            "code": "store.emptied", "severity": "warning", "store": "/a/b", "file": "side",
            "offset": 0, "length": 2, "words": "7700726473",
          ]
        ])
      let files = try Row.fetchAll(database, sql: "SELECT * FROM files")
      let digest = Cryptography.sha256([1, 2, 3]).map { Hexadecimal.text($0) }
      #expect(files == [["file": "side", "path": "/a/b.crc", "size": 3, "sha256": digest]])
      #expect(try Int.fetchOne(database, sql: "PRAGMA application_id") == 0x6b76_6673)
      #expect(try Int.fetchOne(database, sql: "PRAGMA user_version") == 1)
    }
  }

  @Test func timesStandBesideTheNumbersThatCountThem() throws {
    let folder = try TemporaryFolder()
    let values: [(Value, String?, String?)] = [
      (.date(739_692_800.5), "1993-06-10T06:13:20.5Z", "seconds since 1970"),
      (.double(739_692_800.5), "2024-06-10T06:13:20.5Z", "seconds since 2001 (Cocoa)"),
      (.int64(1_760_000_000_123), "2025-10-09T08:53:20.123Z", "milliseconds since 1970"),
      (
        .int64(13_404_473_600_000_001), "2025-10-09T08:53:20.000001Z",
        "microseconds since 1601 (WebKit)"
      ),
      (
        .uint64(134_044_736_000_000_001), "2025-10-09T08:53:20.0000001Z",
        "tenths of microseconds since 1601 (FILETIME)"
      ),
      (.int32(1_760_000_000), "2025-10-09T08:53:20Z", "seconds since 1970"),
      (.int32(7), nil, nil), (.string("1760000000"), nil, nil),
    ]
    let entries = values.enumerated().map {
      TypedEntry(key: Key([UInt8($0.offset)]), value: $0.element.0)
    }
    let path = try write(EntrySource(name: "x", formatName: "test", entries), folder)
    let rows = try DatabaseQueue(path: path.string).read {
      try Row.fetchAll($0, sql: "SELECT iso8601, time_unit FROM entries ORDER BY rowid")
    }
    for (row, (value, text, unit)) in zip(rows, values) {
      #expect(row[0] == text, "\(value)")
      #expect(row[1] == unit, "\(value)")
    }
    #expect(format.read(try format.discover(at: path)).entries == entries)
  }

  @Test(arguments: [
    (Value.bool(true), "integer", "1"), (.uint64(.max), "text", "18446744073709551615"),
    (.uint64(1 << 62), "integer", "4611686018427387904"), (.double(1), "real", "1.0"),
    (.date(-1.5), "real", "-1.5"), (.float(0.5), "real", "0.5"), (.json("[1]"), "text", "[1]"),
    (.double(-0.0), "text", #"{"bits":"8000000000000000","type":"double"}"#),
    (.set(["a/b"]), "text", #"{"type":"string-set","value":["a/b"]}"#),
    (.null, "text", #"{"type":"null","value":null}"#), (.raw([65]), "blob", "A"),
    (.keyedArchive(className: nil, [0]), "text", #"{"base64":"AA==","type":"keyed-archive"}"#),
  ])
  func theStorageIsTheDocumentedOne(_ value: Value, _ storage: String, _ text: String) throws {
    let folder = try TemporaryFolder()
    let entries = [TypedEntry(key: Key([1]), value: value)]
    let path = try write(EntrySource(name: "x", formatName: "test", entries), folder)
    let row = try DatabaseQueue(path: path.string).read {
      try Row.fetchOne($0, sql: "SELECT type, typeof(value), CAST(value AS TEXT) FROM entries")
    }
    #expect(row?[0] == value.kind.rawValue)
    #expect(row?[1] == storage)
    #expect(row?[2] == text)
  }

  @Test func pythonReadsIt() throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/env") else {
      print("skipped: there is no /usr/bin/env")
      return
    }
    let folder = try TemporaryFolder()
    let path = try write(samples, folder)
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c",
      """
      import sqlite3, sys
      def one(sql): return d.execute(sql).fetchone()[0]
      d = sqlite3.connect(sys.argv[1])
      print(one("select count(*) from entries"))
      print(one("select min(value) from entries where type = 'int32'"))
      print(ascii(one("select max(value) from entries where type = 'string'")))
      print(one("select sum(value) from entries where type = 'bool'"))
      print(one("select count(*) from entries where cast(value as blob) = x'00'"))
      print(one("pragma integrity_check"), one("select key from entries where key = 'key3'"))
      """, path.string,
    ]
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus != 127 else {
      print("skipped: there is no python3")
      return
    }
    let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map { String($0) }
    #expect(
      lines == [
        "\(Samples.entries.count)", "-2147483648", "'text'", "1", "1",
        "ok key3",
      ])
  }

  @Test func aFailureIsThatOfTheSourceAndLeavesNothing() throws {
    let folder = try TemporaryFolder()
    let error = ConversionError.encoding(.tooLarge(count: 2, limit: 1))
    let source = EntrySource(name: "x", formatName: "test") { (body) throws(ConversionError) in
      try body(TypedEntry(key: Key([1]), value: .null))
      throw error
    }
    #expect(throws: error) { try write(source, folder) }
    #expect(try folder.names() == [])
  }

  @Test func aTypeThatTheValueIsNotOfIsReported() throws {
    let folder = try TemporaryFolder()
    let path = try write(samples, folder)
    try change(path, "UPDATE entries SET type = 'int32' WHERE key IN ('key22', 'key8')")
    let table = format.read(try format.discover(at: path))
    #expect(table.findings.map(\.code) == ["sqlite.value"])
    #expect(table.findings.first?.message.hasPrefix("2 rows") == true)
    #expect(table.entries[22].value == .string(""))
    #expect(table.entries[8].value == .int64(1 << 53 + 1))
  }

  @Test func aKeyOfAnotherKindIsReported() throws {
    let folder = try TemporaryFolder()
    let path = try write(samples, folder)
    try change(path, "UPDATE entries SET key_bytes = 5 WHERE key = 'key2'")
    let table = format.read(try format.discover(at: path))
    #expect(table.findings.map(\.code) == ["sqlite.key"])
    #expect(table.entries.count == Samples.entries.count - 1)
  }

  @Test func whatIsNotOursIsNotRead() throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("other.sqlite")
    try change(path, "CREATE TABLE entries(a, b); CREATE TABLE \"odd \"\"name\"(x)")
    let files = try format.discover(at: path)
    #expect(format.recognition(of: files).likelihood == 1)
    let table = format.read(files)
    #expect(table.findings.map(\.code) == ["sqlite.no-table"])
    #expect(table.findings.first?.message.hasSuffix("its columns are a, b") == true)
  }

  @Test func aFileThatIsNoDatabaseIsReported() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Array("not a database, but long enough to be one".utf8), to: "a")
    let files = try format.discover(at: path)
    #expect(format.recognition(of: files).likelihood == 0)
    #expect(format.read(files).findings.map(\.code) == ["sqlite.corrupt"])
    let empty = try folder.write([], to: "b")
    #expect(format.read(try format.discover(at: empty)).findings.map(\.code) == ["sqlite.no-table"])
  }
}
