import KVModel

/// How a value fits a format.
enum ValueFit {
  /// The value can be stored.
  ///
  /// The first associated value is read back, and the second lists the losses.
  case held(Value, [Loss] = [])
  /// The value cannot be stored, for this reason.
  case leftOut(String)

  /// Returns the fit of an entry whose value has this fit.
  func entry(_ entry: TypedEntry) -> EntryFit {
    switch self {
    case .held(let value, let losses): EntryFit(entry.with(value), losses)
    case .leftOut(let reason): EntryFit(leftOut: reason)
    }
  }

  /// Returns the fit after `change` is also applied to the value.
  func then(_ change: (Value) -> ValueFit) -> ValueFit {
    guard case .held(let value, let losses) = self else { return self }
    switch change(value) {
    case .held(let next, let more): return .held(next, losses + more)
    case .leftOut(let reason): return .leftOut(reason)
    }
  }
}
