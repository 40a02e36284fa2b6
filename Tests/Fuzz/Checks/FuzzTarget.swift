/// What is done with the bytes of a fuzzer, and what must hold then.
public struct FuzzTarget: Sendable {
  /// The name: that of its folders in `Targets` and `Regressions`.
  public let name: String
  /// Takes an input; ends the process where a promise is broken.
  public let check: @Sendable ([UInt8]) -> Void

  /// All targets.
  public static let all = [
    mmkv, fastkvApple, fastkvAndroid, repair, correction, exchange, sqlite, archive, script,
  ]
}

/// The clock of all checks, in seconds since 1970.
let now: UInt32 = 1_760_000_000

/// Ends the process: a promise is broken.
///
/// libFuzzer knows no other answer. A target returns 0, or its input is kept as what crashed it; an error that
/// was thrown would have to end here all the same.
func violated(_ promise: String, _ details: @autoclosure () -> String = "") -> Never {
  fatalError("\(promise): \(details())")
}
