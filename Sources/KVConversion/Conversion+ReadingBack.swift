package import KVModel

extension Conversion {
  /// Returns the keys of the entries that `new`, what was read from the new files, does not have as
  /// they were to be written, and of those that it has besides.
  ///
  /// - Throws: The errors of reading the source and the new files.
  /// - Complexity: The entries of the source are held in memory.
  package func keysThatDiffer(in new: ReadSource) throws(ConversionError) -> [Key] {
    var expected: [Key: TypedEntry] = [:]
    var order: [Key] = []
    try source.forEachEntry { (entry, _) throws(ConversionError) in
      guard let entry = encoder.fit(entry).entry else { return }
      expected[entry.key] = entry
      order.append(entry.key)
    }
    // Without stored types, the bytes are read as what was written.
    let schema =
      new.storesTypes
      ? .empty : TypeSchema(expected.values.map { TypeSchema.Rule(.key($0.key), $0.value.kind) })
    var differing: [Key] = []
    try new.typed(by: schema).forEachEntry { (entry, _) throws(ConversionError) in
      let isSame = expected.removeValue(forKey: entry.key)?.hasSameContent(as: entry) ?? false
      if !isSame { differing.append(entry.key) }
    }
    return differing + order.filter { expected[$0] != nil }
  }
}
