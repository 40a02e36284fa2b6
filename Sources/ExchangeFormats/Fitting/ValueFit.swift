import KVModel

/// How a value can be stored in a format.
enum ValueFit {
  /// The value that will be read back, and what is lost.
  case held(Value, [Loss] = [])
  /// The value cannot be stored, for this reason.
  case leftOut(String)

  /// Returns the fit of an entry whose value fits like this.
  func entry(_ entry: TypedEntry) -> EntryFit {
    switch self {
    case .held(let value, let losses): EntryFit(entry.with(value), losses)
    case .leftOut(let reason): EntryFit(leftOut: reason)
    }
  }

  /// Returns the fit after a further step.
  func then(_ change: (Value) -> ValueFit) -> ValueFit {
    guard case .held(let value, let losses) = self else { return self }
    switch change(value) {
    case .held(let next, let more): return .held(next, losses + more)
    case .leftOut(let reason): return .leftOut(reason)
    }
  }
}
