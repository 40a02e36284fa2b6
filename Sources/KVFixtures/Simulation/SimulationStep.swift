public import KVModel

/// What one operation of a script did.
public struct SimulationStep: Hashable, Sendable {
  /// The operation, and its line in the script.
  public let statement: Script.Statement
  /// What the engine did to the files, in order.
  public let events: [DiskEvent]
  /// The files before it.
  public let before: DiskImage
  /// The files after it.
  public let after: DiskImage
  /// The entries before it; values are the bytes that a record of the format stores.
  public let entriesBefore: [Key: [UInt8]]
  /// The entries after it.
  public let entriesAfter: [Key: [UInt8]]
  /// The key that the files were encrypted with before it.
  public let keyBefore: StoreKey?
  /// The key that they are encrypted with after it.
  public let keyAfter: StoreKey?
  /// The clock, in seconds since 1970.
  public let now: UInt32
}
