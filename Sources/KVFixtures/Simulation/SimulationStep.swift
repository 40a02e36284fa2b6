public import KVModel

/// The effects of one operation of a script.
public struct SimulationStep: Hashable, Sendable {
  /// The operation and its line in the script.
  package let statement: Script.Statement
  /// The changes that the engine made to the files, in order.
  public let events: [DiskEvent]
  /// The files before the operation.
  public let before: DiskImage
  /// The files after the operation.
  public let after: DiskImage
  /// The entries before the operation.
  ///
  /// Each value is as a record of the format stores it.
  public let entriesBefore: [Key: [UInt8]]
  /// The entries after the operation.
  public let entriesAfter: [Key: [UInt8]]
  /// The key with which the files were encrypted before the operation.
  let keyBefore: StoreKey?
  /// The key with which they are encrypted after it.
  let keyAfter: StoreKey?
  /// The current time after the operation, in seconds since 1970.
  package let now: UInt32

  /// The keys with which the files can be encrypted during the operation.
  var keys: [StoreKey?] { keyBefore == keyAfter ? [keyAfter] : [keyBefore, keyAfter] }
}
