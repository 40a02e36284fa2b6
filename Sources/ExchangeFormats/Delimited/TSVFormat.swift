import KVModel

/// Rows with tabs.
package struct TSVFormat: DelimitedFormat {
  /// The format's name, as `--to` takes it.
  package static let name = "tsv"
  /// What is put after a store's name.
  package static let suffix = ".tsv"
  /// What stands between two fields.
  package static let delimiter: Character = "\t"

  /// The format.
  package init() {}
}
