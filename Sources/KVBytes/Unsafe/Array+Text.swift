extension [UInt8] {
  /// Appends the UTF-8 of `text`.
  ///
  /// Its bytes are in one piece, and copied as such: appending them one by one, or as a sequence of
  /// unknown type, takes several times as long.
  package mutating func append(utf8Of text: String) {
    var text = text
    text.withUTF8 { unsafe append(contentsOf: $0) }
  }
}
