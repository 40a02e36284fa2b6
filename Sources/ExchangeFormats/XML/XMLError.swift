/// Why a document is not well-formed XML, and where.
struct XMLError: Error, Hashable {
  /// The offset of what is wrong, from the start of the file.
  let offset: Int
  /// What is wrong, for people, with line and column.
  let message: String
}
