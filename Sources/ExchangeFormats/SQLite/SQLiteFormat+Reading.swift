package import KVModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension SQLiteFormat {
  /// Returns the entries of the table `entries`, with the evidence that was written with each entry,
  /// as far as it still holds.
  package func read(_ files: [StoreFile]) -> EntryTable {
    var entries: [TypedEntry] = []
    let outcome = DatabaseReading.read(files) { reading in
      guard let table = reading.table(["entries"], columns: SQLiteSchema.entryColumns) else {
        return
      }
      checkVersion(files, &reading)
      let decoder = JSONDecoder()
      var (keyless, mistyped, timeless) = (RowTally(), RowTally(), RowTally())
      var ordinal = 0
      reading.forEachRow(of: table) { cells in
        defer { ordinal += 1 }
        guard let key = cells[0].key else { return keyless.add(ordinal) }
        var value = cells[1].text.flatMap(Value.Kind.init).flatMap {
          cells[2].value(ofKind: $0, decoder: decoder)
        }
        if value == nil { mistyped.add(ordinal) }
        value = value ?? cells[2].plainValue
        let expiry = Self.expiry(cells[5])
        if expiry == nil { timeless.add(ordinal) }
        entries.append(
          TypedEntry(
            key: key, value: value ?? .null, expiry: expiry ?? 0, origin: Self.origin(cells)))
      }
      keyless.report(
        SQLiteFindings.key, "with a key that is neither text nor a blob (left out)", to: &reading)
      mistyped.report(
        SQLiteFindings.value,
        "with a value that does not have the stated type (read as SQLite stores it)", to: &reading)
      timeless.report(
        SQLiteFindings.value,
        "with an expires_at that is not a whole number of seconds from 0 to \(UInt32.max) (read as 0, "
          + "which is never)",
        to: &reading)
      reading.settle(&entries)
    }
    return EntryTable(
      formatName: Self.name, files: files, entries: entries, findings: outcome.findings,
      obstacle: outcome.obstacle)
  }

  /// Reports a version of the tables that is not the known one.
  private func checkVersion(_ files: [StoreFile], _ reading: inout DatabaseReading) {
    guard let image = files.first?.image, let version = SQLiteFiles.userVersion(of: image),
      version != SQLiteSchema.version
    else { return }
    reading.report(
      SQLiteFindings.unknownSchema,
      "the database has the user_version \(version), but only \(SQLiteSchema.version) is known. It is "
        + "read as that version, and newer columns are ignored",
      losesContent: true)
  }

  /// Returns the expiry time in the column; `nil` if it is not a time.
  private static func expiry(_ cell: SQLiteCell) -> UInt32? {
    cell == .null ? 0 : cell.integer.flatMap { UInt32(exactly: $0) }
  }

  /// Returns the origin in the columns `evidence` and `cautions`.
  ///
  /// No checksum verifies the rows of a database, whatever they claim, and the record that an entry
  /// was converted from is in another file.
  private static func origin(_ cells: [SQLiteCell]) -> EntryOrigin {
    let evidence = cells[3].text.flatMap { Evidence(rawValue: $0) } ?? .structure
    let cautions = (cells[4].text ?? "").split(separator: " ")
      .compactMap { Caution(rawValue: String($0)) }
    return EntryOrigin(min(.structure, evidence), cautions: cautions)
  }
}
