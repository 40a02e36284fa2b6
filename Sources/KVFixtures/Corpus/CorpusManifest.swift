/// What a corpus holds: the content of its `corpus.json`.
package struct CorpusManifest: Hashable, Sendable, Codable {
  /// The version of the fields.
  package static let currentSchema = 1
  /// Its name in the folder of a corpus.
  package static let fileName = "corpus.json"

  /// A damaged store, or a healthy one.
  package struct Case: Hashable, Sendable, Codable {
    /// Its name, which no other case has.
    package var name: String
    /// The format of the store.
    package var format: String
    /// The kind of store that it was.
    package var base: String
    /// The operator's name.
    package var damage: String
    /// The path of the store from the folder of the corpus.
    package var store: String
    /// The path of the answer key.
    package var answer: String

    enum CodingKeys: String, CodingKey {
      case name, format, base, store, answer
      case damage = "operator"
    }
  }

  /// What was left out, and why.
  package struct Omission: Hashable, Sendable, Codable {
    /// The format.
    package var format: String
    /// The kind of store.
    package var base: String
    /// Why.
    package var reason: String
  }

  /// The version of the fields.
  package var schema: Int
  /// The program that made it.
  package var generator: String
  /// The seed that decided all of it.
  package var seed: String
  /// How many places each operator was asked for.
  package var placements: Int
  /// The cases.
  package var cases: [Case]
  /// The stores that could not be made.
  package var omitted: [Omission]
}
