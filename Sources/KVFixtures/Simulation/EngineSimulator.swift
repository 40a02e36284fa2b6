public import KVModel

/// An engine's own writing rules, on files in memory.
///
/// A simulator does to its ``disk`` what the engine does to its files, store by store and in the same
/// order, so that every moment at which the engine can be stopped can be looked at.
public protocol EngineSimulator: Sendable {
  /// An engine that has just opened a store that was not there.
  ///
  /// - Throws: Where the format has no such setting.
  init(_ settings: StoreSettings, randomness: EngineRandomness) throws(ScriptError)

  /// The files, and what was done to them.
  var disk: SimulatedDisk { get set }
  /// What the app reads back: the value of each key, as a record of the format stores it.
  var entries: [Key: [UInt8]] { get }
  /// The key that the files are encrypted with now.
  var key: StoreKey? { get }

  /// Does what the app asks for.
  ///
  /// - Throws: Where the engine has no such operation or no such type.
  mutating func perform(_ operation: ScriptOperation) throws(ScriptError)
}
