/// A fuzz target: what is done with the bytes of a fuzzer, and what must hold.
public struct FuzzTarget: Sendable {
  /// The name of the target, and of its folders in `Targets` and `Regressions`.
  public let name: String
  /// Checks an input, and ends the process if a guarantee is violated.
  public let check: @Sendable ([UInt8]) -> Void

  /// All targets.
  public static let all = [
    mmkv, fastkvApple, fastkvAndroid, repair, correction, exchange, sqlite, archive, script,
  ]
}

/// The current time in all checks, in seconds since 1970.
let now: UInt32 = 1_760_000_000

/// Ends the process because a guarantee is violated.
///
/// libFuzzer knows no other way: a target either returns 0, or its input is kept as one that
/// crashed it. A thrown error would have to end here as well.
func violated(_ promise: String, _ details: @autoclosure () -> String = "") -> Never {
  fatalError("\(promise): \(details())")
}
