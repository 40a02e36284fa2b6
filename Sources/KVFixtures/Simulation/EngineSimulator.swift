package import KVModel

/// An engine's own writing rules, on files in memory.
///
/// A simulator does to its ``disk`` what the engine does to its files, store by store and in the same
/// order, so that every moment at which the engine can be stopped can be looked at.
package protocol EngineSimulator: Sendable {
  /// The format of the files.
  static var format: FixtureFormat { get }
  /// What the app can ask the engine for.
  static var abilities: EngineAbilities { get }
  /// The kinds of healthy store that the engine can write.
  static var bases: Set<CorpusBase> { get }
  /// How often a random script opens a store again at most.
  static var mostReopens: Int { get }

  /// Returns the cipher that `key` is for, for tables.
  static func cipherName(of key: StoreKey) -> String
  /// Draws the settings of a random store.
  static func draw(_ settings: inout StoreSettings, encrypted: Bool, from store: inout RandomStore)
  /// Draws a value for the key at `index`.
  static func value(at index: Int, from store: inout RandomStore) -> Value

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

extension EngineSimulator {
  /// How often a random script opens a store again: any number of times.
  package static var mostReopens: Int { .max }

  /// Returns the size of AES that `key` is for.
  package static func cipherName(of key: StoreKey) -> String {
    key.isAES256 ? "aes256" : "aes128"
  }
}
