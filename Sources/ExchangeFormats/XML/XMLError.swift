/// The reason why a document is not well-formed XML, and where.
struct XMLError: Error, Hashable {
  /// The file offset of the error.
  let offset: Int
  /// A description for people to read, with line and column.
  let message: String
}
