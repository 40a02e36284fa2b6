package import KVModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension SQLiteFormat {
  /// Returns the entries of the table `entries`, with the origin that was written with each entry.
  package func read(_ files: [StoreFile]) -> EntryTable {
    var entries: [TypedEntry] = []
    let findings = DatabaseReading.read(files) { reading in
      guard let table = reading.table("entries", columns: SQLiteSchema.entryColumns) else { return }
      if let image = files.first?.image, let version = SQLiteFiles.userVersion(of: image),
        version != SQLiteSchema.version
      {
        reading.report(
          SQLiteFindings.unknownSchema,
          "the database has the user_version \(version), but only \(SQLiteSchema.version) is known. It is "
            + "read as that version, and newer columns are ignored",
          losesContent: true)
      }
      let decoder = JSONDecoder()
      var (keyless, mistyped) = (RowTally(), RowTally())
      var ordinal = 0
      reading.forEachRow(of: table) { cells in
        defer { ordinal += 1 }
        guard let key = cells[0].key else { return keyless.add(ordinal) }
        var value = cells[1].text.flatMap(Value.Kind.init).flatMap {
          cells[2].value(ofKind: $0, decoder: decoder)
        }
        if value == nil { mistyped.add(ordinal) }
        value = value ?? cells[2].plainValue
        entries.append(
          TypedEntry(
            key: key, value: value ?? .null,
            expiry: cells[9].integer.flatMap { UInt32(exactly: $0) } ?? 0,
            origin: Self.origin(cells)))
      }
      keyless.report(
        SQLiteFindings.key, "with a key that is neither text nor a blob (left out)", to: &reading)
      mistyped.report(
        SQLiteFindings.value,
        "with a value that does not have the stated type (read as SQLite stores it)", to: &reading)
      reading.removeDuplicates(from: &entries)
    }
    return EntryTable(
      formatName: Self.name, files: files, entries: entries, findings: findings)
  }

  /// Returns the origin in the columns from `raw` to `cautions`.
  private static func origin(_ cells: [SQLiteCell]) -> EntryOrigin {
    let evidence = cells[7].text.flatMap { Evidence(rawValue: $0) } ?? .structure
    let cautions = (cells[8].text ?? "").split(separator: " ")
      .compactMap { Caution(rawValue: String($0)) }
    return EntryOrigin(evidence, cautions: cautions, at: place(cells), raw: cells[3].blob)
  }

  /// Returns the entry's place in its former store, of which only the name of the file is known.
  private static func place(_ cells: [SQLiteCell]) -> Place? {
    guard let name = cells[4].text,
      let offset = cells[5].integer.flatMap({ Int(exactly: $0) }), offset >= 0,
      let count = cells[6].integer.flatMap({ Int(exactly: $0) }), count >= 0,
      count <= Int.max - offset
    else { return nil }
    return Place(ofOtherStore: name, offset..<offset + count)
  }
}
