package import KVModel
package import SystemPackage

/// A note about what becomes of one entry in a conversion.
package struct ConversionNote: Hashable, Sendable {
  /// The entry's key.
  package let key: Key
  /// What becomes of the entry.
  package let loss: Loss
  /// The bytes that the entry comes from; `nil` if its format does not tell.
  package let place: Place?
  /// The data file of the store that the entry comes from; `nil` if there is only one store.
  package let store: FilePath?

  /// Creates a note about the entry with `key`.
  package init(_ key: Key, _ loss: Loss, at place: Place?, in store: FilePath? = nil) {
    self.key = key
    self.loss = loss
    self.place = place
    self.store = store
  }

  /// Returns the note with advice on what can be done about the loss.
  package func adding(_ advice: String) -> ConversionNote {
    ConversionNote(key, loss.adding(advice), at: place, in: store)
  }

  /// Returns the note, marked as about an entry of `store`, one of several.
  func within(_ store: FilePath?) -> ConversionNote {
    ConversionNote(key, loss, at: place, in: store)
  }
}
