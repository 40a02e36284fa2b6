import Dispatch

/// A value that several tasks change, one at a time.
package final class Guarded<Value>: @unchecked Sendable {
  // Checked by hand: the value is touched on the queue only.

  private let queue = DispatchQueue(label: "kvfsck.guarded")
  private var value: Value

  /// A guarded `value`.
  package init(_ value: sending Value) { self.value = value }

  /// Hands the value to `body`, while no one else has it.
  package func use<Result>(_ body: (inout Value) -> Result) -> Result {
    queue.sync { body(&value) }
  }
}
