package import KVModel

/// What a conversion has to say of one entry.
package struct ConversionNote: Hashable, Sendable {
  /// The entry's key.
  package let key: Key
  /// What becomes of it.
  package let loss: Loss
  /// Where the entry comes from; `nil` where its format does not tell.
  package let extent: Extent?

  /// A note on the entry with `key`.
  package init(_ key: Key, _ loss: Loss, at extent: Extent?) {
    self.key = key
    self.loss = loss
    self.extent = extent
  }

  /// The same, and what can be done about it.
  package func adding(_ advice: String) -> ConversionNote {
    ConversionNote(key, loss.adding(advice), at: extent)
  }
}
