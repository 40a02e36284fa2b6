import KVModel

/// What becomes of a value in a format.
enum ValueFit {
  /// The value that will be read back, and how it differs.
  case held(Value, [Loss] = [])
  /// Nothing, for this reason.
  case leftOut(String)

  /// The fit of an entry whose value fits like this.
  func entry(_ entry: TypedEntry) -> EntryFit {
    switch self {
    case .held(let value, let losses): EntryFit(entry.with(value), losses)
    case .leftOut(let reason): EntryFit(leftOut: reason)
    }
  }

  /// The fit with what becomes of the value in a further step.
  func then(_ change: (Value) -> ValueFit) -> ValueFit {
    guard case .held(let value, let losses) = self else { return self }
    switch change(value) {
    case .held(let next, let more): return .held(next, losses + more)
    case .leftOut(let reason): return .leftOut(reason)
    }
  }
}
