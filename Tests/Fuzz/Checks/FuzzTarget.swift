/// A fuzz target, which processes the bytes of a fuzzer and checks guarantees.
public struct FuzzTarget: Sendable {
  /// The name of the target, and of its folders in `Targets` and `Regressions`.
  public let name: String
  /// Checks an input.
  public let check: @Sendable ([UInt8]) throws(Violation) -> Void

  /// All targets.
  public static let all = [
    mmkv, fastkvApple, fastkvAndroid, repair, correction, exchange, sqlite, archive, script,
  ]
}

/// The current time in all checks, in seconds since 1970.
let now: UInt32 = 1_760_000_000

/// A guarantee that an input violates.
public struct Violation: Error, CustomStringConvertible {
  private let promise: String
  private let details: String

  /// The guarantee, and what was found instead.
  public var description: String { details.isEmpty ? promise : "\(promise): \(details)" }

  init(_ promise: String, _ details: String = "") {
    self.promise = promise
    self.details = details
  }
}
