import KVModel

extension ScriptOperation {
  /// A verb phrase for the operation, for error messages.
  private var phrase: String {
    switch self {
    case .set: "set a value"
    case .remove: "remove keys"
    case .clear(let keepsSpace): keepsSpace ? "clear and keep the file's length" : "clear"
    case .trim: "trim the file"
    case .compact: "compact the log on request"
    case .rekey: "change the key of a store"
    case .enableExpiry, .disableExpiry: "let entries expire"
    case .compareBeforeSet: "compare before setting"
    case .sync: "wait for the disk on request"
    case .reopen: "open a store"
    case .now: "set the clock"
    }
  }

  /// Returns the error that `engine` does not support the operation.
  func refusal(by engine: String) -> ScriptError {
    ScriptError(line: nil, "\(engine) cannot \(phrase)")
  }
}

extension Value {
  /// Returns the error that `engine` does not have the type of the value.
  func refusal(by engine: String) -> ScriptError {
    ScriptError(line: nil, "\(engine) has no type for \(kind)")
  }
}
