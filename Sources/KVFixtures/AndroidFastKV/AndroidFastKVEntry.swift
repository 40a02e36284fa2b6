import FastKVFormat

/// An entry of the engine's map: where the record of a key is, and its value.
///
/// As Container. The engine keeps only the offset of the value for a number or Boolean, and the
/// start of the record as well for every other type.
struct AndroidFastKVEntry {
  /// The type, without the distinction between short and large values.
  let type: AndroidValueType
  /// The offset of the record.
  var start: Int
  /// The offset at which the engine believes the value starts.
  var offset: Int
  /// The number of bytes that the value takes in the file.
  var count: Int
  /// The decrypted value, without the tag.
  var value: [UInt8]
}
