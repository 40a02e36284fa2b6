import KVModel

/// Rows with tabs.
public struct TSVFormat: DelimitedFormat {
  /// The format's name, as `--to` takes it.
  public static let name = "tsv"
  /// What is put behind a store's name.
  public static let suffix = ".tsv"
  /// What stands between two fields.
  public static let delimiter: Character = "\t"

  /// The format.
  public init() {}
}
