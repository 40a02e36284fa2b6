public import KVModel

/// What a conversion has to say of one entry.
public struct ConversionNote: Hashable, Sendable {
  /// The entry's key.
  public let key: Key
  /// What becomes of it.
  public let loss: Loss
  /// Where the entry comes from; nothing where its format does not tell.
  public let extent: Extent?

  /// A note on the entry with `key`.
  public init(_ key: Key, _ loss: Loss, at extent: Extent?) {
    self.key = key
    self.loss = loss
    self.extent = extent
  }

  /// The same, and what can be done about it.
  public func adding(_ advice: String) -> ConversionNote {
    ConversionNote(key, loss.adding(advice), at: extent)
  }
}
