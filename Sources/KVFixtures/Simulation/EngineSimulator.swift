package import KVModel

/// A simulator of an engine, which follows the engine's own rules for writing on files in memory.
///
/// A simulator makes the same changes to its ``disk`` as the engine makes to its files, store by
/// store and in the same order. Every moment at which the engine can be stopped can therefore be
/// examined.
package protocol SimulatedEngine: Sendable {
  /// The files, and the changes made to them.
  var disk: SimulatedDisk { get set }
  /// The entries that the app reads back.
  ///
  /// Each value is as a record of the format stores it.
  var entries: [Key: [UInt8]] { get }
  /// The key with which the files are currently encrypted.
  var key: StoreKey? { get }

  /// Carries out an operation of the app.
  ///
  /// - Throws: ``ScriptError`` if the engine does not support the operation or a type.
  mutating func perform(_ operation: ScriptOperation) throws(ScriptError)
}

/// A simulator of the engine of a format with a log.
package protocol EngineSimulator: SimulatedEngine {
  /// The format of the files.
  static var format: FixtureFormat { get }
  /// The optional operations that the engine supports.
  static var abilities: EngineAbilities { get }
  /// The kinds of healthy store that the engine can write.
  static var bases: Set<CorpusBase> { get }

  /// Creates an engine that has just created a new store.
  ///
  /// - Throws: ``ScriptError`` if the format does not support a setting.
  init(_ settings: StoreSettings, randomness: EngineRandomness) throws(ScriptError)
}
