import KVModel

extension ScriptOperation {
  /// What the operation is, in words for people.
  private var phrase: String {
    switch self {
    case .set: "set a value"
    case .remove: "remove keys"
    case .clear(let keepsSpace): keepsSpace ? "clear and keep the file's length" : "clear"
    case .trim: "give back room"
    case .compact: "rewrite the log when it is asked to"
    case .rekey: "change the key of a store"
    case .enableExpiry, .disableExpiry: "let entries expire"
    case .compareBeforeSet: "be told to compare before it sets"
    case .sync: "be told to wait for the disk"
    case .reopen: "open a store"
    case .now: "set the clock"
    }
  }

  /// That `engine` has no such operation.
  func refusal(by engine: String) -> ScriptError {
    ScriptError(line: nil, "\(engine) cannot \(phrase)")
  }
}

extension Value {
  /// That `engine` has no such type.
  func refusal(by engine: String) -> ScriptError {
    ScriptError(line: nil, "\(engine) has no type for \(kind)")
  }
}
