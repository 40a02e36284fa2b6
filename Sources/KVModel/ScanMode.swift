/// How strict a scan is.
public struct ScanMode: Hashable, Sendable {
  /// Whether records that the engine of today refuses count as damage.
  public var appliesEngineLimits: Bool

  /// Reads no record that the engine of today would refuse.
  public static let engine = ScanMode(appliesEngineLimits: true)
  /// Reads every record whose lengths fit.
  public static let plain = ScanMode(appliesEngineLimits: false)
}
