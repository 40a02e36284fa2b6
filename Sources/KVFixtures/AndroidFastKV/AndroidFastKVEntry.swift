import FastKVFormat

/// What the engine's map holds for a key.
///
/// As Container: a number or truth value knows its place alone, all else its record's start as well.
struct AndroidFastKVEntry {
  /// The type without regard to how its length is stored.
  let type: AndroidValueType
  /// Where the record begins.
  var start: Int
  /// Where the engine believes the value to begin.
  var offset: Int
  /// How many bytes the value has in the file.
  var count: Int
  /// The value without cipher and tag.
  var value: [UInt8]
}
