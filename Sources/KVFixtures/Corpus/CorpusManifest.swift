/// The contents of a corpus, as its `corpus.json` lists them.
package struct CorpusManifest: Hashable, Sendable, Codable {
  /// The current version of the schema.
  static let currentSchema = 1
  /// The file name of the manifest within the folder of a corpus.
  static let fileName = "corpus.json"

  /// A damaged store, or a healthy one.
  package struct Case: Hashable, Sendable, Codable {
    /// The name, which is unique in the corpus.
    package var name: String
    /// The format of the store.
    package var format: String
    /// The kind of the healthy store.
    var base: String
    /// The name of the damage operator.
    package var damage: String
    /// The path of the store, relative to the folder of the corpus.
    var store: String
    /// The path of the answer key, relative to the folder of the corpus.
    var answer: String

    enum CodingKeys: String, CodingKey {
      case name, format, base, store, answer
      case damage = "operator"
    }
  }

  /// A kind of store that was omitted.
  package struct Omission: Hashable, Sendable, Codable {
    /// The format.
    package var format: String
    /// The kind of store.
    package var base: String
    /// The reason.
    package var reason: String
  }

  /// The version of the schema.
  var schema: Int
  /// The program that made the corpus.
  package var generator: String
  /// The seed from which the corpus was made.
  package var seed: String
  /// The number of placements requested of each operator.
  var placements: Int
  /// The cases.
  package var cases: [Case]
  /// The kinds of store that could not be made.
  package var omitted: [Omission]
}
