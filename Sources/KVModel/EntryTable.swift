/// What a file of a format without a log holds: its entries, and what is remarkable about it.
public struct EntryTable: Sendable {
  /// The format's name.
  public let formatName: String
  /// The files that were read, the one with the entries first.
  public let files: [StoreFile]
  /// The entries, in the order of the file; a key can be there twice only if the file has it twice.
  public let entries: [TypedEntry]
  /// What was found; damage where bytes could not be read.
  public let findings: [Finding]

  /// A table.
  public init(
    formatName: String, files: [StoreFile], entries: [TypedEntry], findings: [Finding]
  ) {
    self.formatName = formatName
    self.files = files
    self.entries = entries
    self.findings = findings
  }
}
