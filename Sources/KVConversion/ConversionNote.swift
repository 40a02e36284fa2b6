package import KVModel
package import SystemPackage

/// What a conversion has to say about one entry.
package struct ConversionNote: Hashable, Sendable {
  /// The entry's key.
  package let key: Key
  /// What becomes of it.
  package let loss: Loss
  /// Where the entry comes from; `nil` where its format does not tell.
  package let place: Place?
  /// The data file of the store that the entry is of; `nil` where there is one store.
  package let store: FilePath?

  /// A note on the entry with `key`.
  package init(_ key: Key, _ loss: Loss, at place: Place?, in store: FilePath? = nil) {
    self.key = key
    self.loss = loss
    self.place = place
    self.store = store
  }

  /// The same, and what can be done about it.
  package func adding(_ advice: String) -> ConversionNote {
    ConversionNote(key, loss.adding(advice), at: place, in: store)
  }

  /// Returns the same note, on an entry of `store`, one of several.
  func within(_ store: FilePath?) -> ConversionNote {
    ConversionNote(key, loss, at: place, in: store)
  }
}
