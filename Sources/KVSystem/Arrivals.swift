import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A mailbox for numbered values that tasks deliver, in any order, to one waiting thread.
///
/// The waiting thread needs no task of its own. That of a scan is the main thread of the process,
/// which existed before all others, so they inherit its signal mask.
package final class Arrivals<Value: Sendable>: @unchecked Sendable {
  // Checked by hand: the values are touched only on the queue.

  /// How often a waiting thread looks for a value before it sleeps; about a tenth of a millisecond.
  private static var yieldCount: Int { 256 }

  private let queue = DispatchQueue(label: "kvfsck.arrivals")
  private let signal = DispatchSemaphore(value: 0)
  private var values: [Int: Value] = [:]

  /// Creates an empty mailbox.
  init() {}

  /// Delivers `value` under `number`.
  package func add(_ value: Value, _ number: Int) {
    queue.sync { values[number] = value }
    signal.signal()
  }

  /// Waits until another value has been delivered, but no longer than `time`; returns whether one
  /// has.
  func wait(atMost time: DispatchTimeInterval) -> Bool {
    signal.wait(timeout: .now() + time) == .success
  }

  /// Removes and returns the value delivered under `number`; `nil` if it has not arrived.
  package func remove(_ number: Int) -> Value? { queue.sync { values.removeValue(forKey: number) } }

  /// Waits until a value has been delivered under `number`, removes it and returns it.
  package func take(_ number: Int) -> Value {
    while true {
      if let value = take(number, within: .seconds(3600)) { return value }
    }
  }

  /// Waits until a value has been delivered under `number`, removes it and returns it; `nil` if none
  /// is delivered for `time`.
  func take(_ number: Int, within time: DispatchTimeInterval) -> Value? {
    var count = 0
    while true {
      if let value = remove(number) { return value }
      count += 1
      // To wake a thread takes longer, on a virtual machine, than many a value takes to arrive.
      if count < Self.yieldCount {
        sched_yield()
      } else if !wait(atMost: time) {
        return nil
      }
    }
  }
}
