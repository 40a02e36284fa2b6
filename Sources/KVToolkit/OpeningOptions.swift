import KVModel
import KVSystem

/// The facts that the files of a store do not contain: its key and, if needed, its format and the
/// time.
public struct OpeningOptions: Sendable {
  /// The name of the store's format, such as `mmkv`; `nil` to recognize it from the files.
  public var format: String?
  /// The key of an encrypted store; `nil` for none.
  public var key: [UInt8]?
  /// Whether the key is for AES-256, in formats that have both sizes.
  public var isAES256 = false
  /// The time by which entries expire, in seconds since 1970; now by default.
  public var clock = SystemClock.secondsSince1970

  /// Creates options for a store without encryption, whose format is recognized from its files.
  public init() {}

  /// The same options in the form that the formats take.
  var formatOptions: FormatOptions {
    var options = FormatOptions(now: clock)
    options.keys = KeyRing(key)
    options.isAES256 = isAES256
    return options
  }
}
