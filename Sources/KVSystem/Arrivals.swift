import Dispatch

/// Numbered values that tasks leave, in any order, for the thread that waits for them.
///
/// A thread that waits here needs no task of its own: it is the thread of the process, which was there
/// before any other, so that all others have its mask of signals.
package final class Arrivals<Value: Sendable>: @unchecked Sendable {
  // Checked by hand: the values are touched on the queue only.

  private let queue = DispatchQueue(label: "kvfsck.arrivals")
  private let signal = DispatchSemaphore(value: 0)
  private var values: [Int: Value] = [:]

  /// Nothing has arrived.
  package init() {}

  /// Leaves `value`, which is number `number`.
  package func add(_ value: Value, _ number: Int) {
    queue.sync { values[number] = value }
    signal.signal()
  }

  /// Waits until one more value has arrived.
  package func wait() { signal.wait() }

  /// Takes out the value number `number`; `nil` if it has not arrived.
  package func remove(_ number: Int) -> Value? { queue.sync { values.removeValue(forKey: number) } }
}
