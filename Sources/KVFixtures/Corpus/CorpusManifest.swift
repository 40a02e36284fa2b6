/// What a corpus holds: the content of its `corpus.json`.
public struct CorpusManifest: Hashable, Sendable, Codable {
  /// The version of the fields.
  public static let currentSchema = 1
  /// Its name in the folder of a corpus.
  public static let fileName = "corpus.json"

  /// A damaged store, or a healthy one.
  public struct Case: Hashable, Sendable, Codable {
    /// Its name, which no other case has.
    public var name: String
    /// The format of the store.
    public var format: String
    /// The kind of store that it was.
    public var base: String
    /// The operator's name.
    public var damage: String
    /// The path of the store from the folder of the corpus.
    public var store: String
    /// The path of the answer key.
    public var answer: String

    enum CodingKeys: String, CodingKey {
      case name, format, base, store, answer
      case damage = "operator"
    }
  }

  /// What was left out, and why.
  public struct Omission: Hashable, Sendable, Codable {
    /// The format.
    public var format: String
    /// The kind of store.
    public var base: String
    /// Why.
    public var reason: String
  }

  /// The version of the fields.
  public var schema: Int
  /// The program that made it.
  public var generator: String
  /// The seed that decided all of it.
  public var seed: String
  /// How many places each operator was asked for.
  public var placements: Int
  /// The cases.
  public var cases: [Case]
  /// The stores that could not be made.
  public var omitted: [Omission]
}
