/// A format with a log that typed entries are written in.
public protocol StoreEncoder: EntryEncoder, StoreFormat {
  /// Returns the files of a new store called `name` that holds `entries`, each of which ``fit(_:)`` has
  /// returned.
  ///
  /// - Throws: When the entries are too many for the format.
  func files(
    named name: String, _ entries: [TypedEntry]
  ) throws(EncodingError) -> [EncodedFile]
}
