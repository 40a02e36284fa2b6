/// A format whose engine can be simulated.
public struct SimulatedFormat: RawRepresentable, Hashable, Sendable, CaseIterable {
  /// Tencent's MMKV.
  public static let mmkv = SimulatedFormat(MMKVSimulator.self)
  /// RyanLeeLY's FastKV for iOS.
  public static let fastkvApple = SimulatedFormat(AppleFastKVSimulator.self)
  /// BillyWei01's FastKV for Android.
  public static let fastkvAndroid = SimulatedFormat(AndroidFastKVSimulator.self)

  /// All simulated formats, in the order in which corpora list them.
  public static let allCases = [mmkv, fastkvApple, fastkvAndroid]

  /// The name of the format.
  public let rawValue: String
  /// The simulator of its engine.
  let engine: any EngineSimulator.Type

  private init(_ engine: any EngineSimulator.Type) {
    rawValue = engine.format.name
    self.engine = engine
  }

  /// Creates the format called `rawValue`, or returns `nil` if its engine cannot be simulated.
  public init?(rawValue: String) {
    guard let format = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = format
  }

  /// The format for damage operators and scores.
  package var format: FixtureFormat { engine.format }
  /// Whether entries can expire.
  package var hasExpiry: Bool { abilities.contains(.expiry) }
  /// The optional operations that the engine supports.
  package var abilities: EngineAbilities { engine.abilities }

  /// Returns whether two formats are the same.
  public static func == (first: SimulatedFormat, second: SimulatedFormat) -> Bool {
    first.rawValue == second.rawValue
  }

  /// Hashes the name of the format.
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

/// The optional operations and properties of engines.
package struct EngineAbilities: OptionSet, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// Entries can expire.
  package static let expiry = EngineAbilities(rawValue: 1 << 0)
  /// The app can remove several keys at once, compact, trim, clear without shrinking, and change
  /// the key.
  package static let maintenance = EngineAbilities(rawValue: 1 << 1)
  /// Every double survives the next launch.
  static let doubles = EngineAbilities(rawValue: 1 << 2)
  /// Removing a number from an encrypted store leaves it readable.
  static let encryptedNumbers = EngineAbilities(rawValue: 1 << 3)
}
