import KVModel

/// Rows with commas.
package struct CSVFormat: DelimitedFormat {
  /// The format's name, as `--to` takes it.
  package static let name = "csv"
  /// What is put after a store's name.
  package static let suffix = ".csv"
  /// What stands between two fields.
  package static let delimiter: Character = ","

  /// The format.
  package init() {}
}
