package import KVModel

/// Opens values that are themselves documents: property lists, archives, messages and files.
///
/// Only as much is read as a report has room for. The bytes are hostile. No offset or count in them
/// is trusted, and content that cannot be read is left out.
package enum NestedContent {
  /// Returns the content of `value`, one level deep; `nil` if it is not a document of a known kind.
  package static func of(_ value: Value) -> ValueContent? {
    var opener = ContentOpener(.oneLevel)
    return opener.document(in: value)
  }

  /// Returns the content of `value` with that of all documents in it, however they are packed;
  /// `nil` if nothing in it is a document.
  package static func opened(_ value: Value) -> ValueContent? {
    var opener = ContentOpener(.all)
    return opener.document(in: value)
  }

  /// Returns the content of `value` as ``opened(_:)`` does, with more of it: for a search.
  package static func searched(_ value: Value) -> ValueContent? {
    var opener = ContentOpener(.searched)
    return opener.document(in: value)
  }
}
