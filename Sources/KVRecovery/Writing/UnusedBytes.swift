import KVBytes
package import KVModel
package import KVSystem

/// The bytes of a clean store that no log has: what earlier logs have left behind.
package struct UnusedBytes: Sendable {
  /// Some of these bytes.
  package struct Part: Sendable {
    /// The file.
    package let file: StoreFile
    /// The bytes.
    package let range: Range<Int>
  }

  /// The bytes, up to the last one of each file that is not zero.
  package let parts: [Part]

  /// Finds the bytes in the files of `store`.
  ///
  /// Where a log ends is known only of a store without damage, and of copies that state it.
  package init<S: Store>(of store: S) {
    parts = store.logAreas.compactMap { area in
      let log = store.lengthClaims.lazy.compactMap(\.log).first { $0.file == area.file }
      guard let log, let file = store.files.first(where: { $0.role == area.file }),
        let last = store.lastNonzero(in: Extent(area.file, log.end..<max(log.end, area.end))),
        last < file.image.count
      else { return nil }
      return Part(file: file, range: log.end..<last + 1)
    }
  }

  /// The number of bytes.
  package var count: Int { parts.reduce(0) { $0 + $1.range.count } }

  /// Writes zeros over the bytes.
  ///
  /// - Throws: When a file cannot be written, or has other bytes than when it was read.
  package func overwrite() throws(FileError) {
    for part in parts {
      try Overwriting.zero([part.range], of: part.file.path, expecting: part.file.image)
    }
  }
}
