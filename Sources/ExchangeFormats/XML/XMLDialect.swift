/// What a reader of XML accepts, and how it reads it.
enum XMLDialect {
  /// As CoreFoundation reads property lists: in any encoding, with line ends as they are.
  case propertyList
  /// As Android reads preferences: always in UTF-8, with each line end as a line feed.
  case preferences

  /// Whether CR LF and CR are read as LF, as XML 1.0 demands.
  ///
  /// CoreFoundation writes a carriage return of a text as it is, and reads it back.
  var normalizesLineEnds: Bool { self == .preferences }

  /// Whether bytes that are not UTF-8 are read as U+FFFD, as Android's decoder does.
  var repairsText: Bool { self == .preferences }

  /// Whether a byte order mark or the declaration can state another encoding than UTF-8.
  ///
  /// Android reads preferences as UTF-8 whatever the declaration says.
  var hasEncodings: Bool { self == .propertyList }

  /// Whether start tags and document types have attributes and quotes.
  ///
  /// CoreFoundation passes over all that follows the name of an element, up to the next `>`, and over
  /// a document type in the same way.
  var hasAttributes: Bool { self == .preferences }
}
