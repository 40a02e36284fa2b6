import KVBytes
import KVModel

/// An answer key with its keys and values decoded.
struct CaseAnswer: Sendable {
  let format: FixtureFormat
  let key: StoreKey?
  let now: UInt32
  let truth: [Key: [UInt8]]
  let older: [Key: Set<[UInt8]>]
  let must: Set<Key>

  /// Creates the answer from a decoded file, for a store of one of `formats`.
  ///
  /// - Throws: `.malformed` if the schema or format is unknown or text is not hexadecimal. The path
  ///   is empty.
  init(_ answer: AnswerKey, formats: [FixtureFormat]) throws(FixtureError) {
    guard answer.schema == AnswerKey.currentSchema else {
      throw .malformed(
        path: "",
        "its schema is \(answer.schema); this version reads \(AnswerKey.currentSchema)")
    }
    guard let format = formats.first(where: { $0.name == answer.format }) else {
      throw .malformed(path: "", "“\(answer.format)” is not a format that can be scored")
    }
    self.format = format
    now = answer.now
    key = try answer.key.map { (text) throws(FixtureError) in
      StoreKey(try Self.bytes(text), isAES256: answer.isAES256 ?? false)
    }
    var truth: [Key: [UInt8]] = [:]
    for (key, value) in answer.truth { truth[Key(try Self.bytes(key))] = try Self.bytes(value) }
    var older: [Key: Set<[UInt8]>] = [:]
    for (key, values) in answer.alsoTrue {
      let name = Key(try Self.bytes(key))
      for value in values { older[name, default: []].insert(try Self.bytes(value)) }
    }
    var must: Set<Key> = []
    for key in answer.must { must.insert(Key(try Self.bytes(key))) }
    self.truth = truth
    self.older = older
    self.must = must
  }

  private static func bytes(_ text: String) throws(FixtureError) -> [UInt8] {
    guard let bytes = Hexadecimal.bytes(text) else {
      throw .malformed(path: "", "“\(text.prefix(40))” is not hexadecimal")
    }
    return bytes
  }
}
