import KVModel

/// Rows with fields separated by commas.
package struct CSVFormat: DelimitedFormat {
  /// The format's name, as `--to` takes it.
  package static let name = "csv"
  /// The suffix of a file's name.
  package static let suffix = ".csv"
  /// The separator between two fields.
  package static let delimiter: Character = ","

  /// Creates the format.
  package init() {}
}
