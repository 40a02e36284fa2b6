/// How a scan deals with bytes that are not as they should be.
public struct ScanMode: Hashable, Sendable {
  /// Whether records that the engine of today refuses count as damage.
  public var appliesEngineLimits: Bool
  /// Whether reading goes on behind damage, where the next record can be told.
  ///
  /// Otherwise the rest of the scanned extent is one gap.
  public var resynchronizes: Bool

  /// Reads to the first damage, and no record that the engine would refuse.
  public static let engine = ScanMode(appliesEngineLimits: true, resynchronizes: false)
  /// Reads to the first damage.
  public static let plain = ScanMode(appliesEngineLimits: false, resynchronizes: false)
  /// Reads on past damage.
  public static let salvage = ScanMode(appliesEngineLimits: false, resynchronizes: true)
}
