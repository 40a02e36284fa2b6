import KVModel

/// Rows with commas.
public struct CSVFormat: DelimitedFormat {
  /// The format's name, as `--to` takes it.
  public static let name = "csv"
  /// What is put behind a store's name.
  public static let suffix = ".csv"
  /// What stands between two fields.
  public static let delimiter: Character = ","

  /// The format.
  public init() {}
}
