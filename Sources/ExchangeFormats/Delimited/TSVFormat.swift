import KVModel

/// Rows with fields separated by tabs.
package struct TSVFormat: DelimitedFormat {
  /// The format's name, as `--to` takes it.
  package static let name = "tsv"
  /// The suffix of a file's name.
  package static let suffix = ".tsv"
  /// The separator between two fields.
  package static let delimiter: Character = "\t"

  /// Creates the format.
  package init() {}
}
