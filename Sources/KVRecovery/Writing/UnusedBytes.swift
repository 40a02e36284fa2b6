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
      let claims = store.lengthClaims.filter { $0.log?.file == area.file }
      // What the engine may go back to is not unused either.
      guard claims.contains(where: { $0.role == .current || $0.role == .passedOver }),
        let end = claims.compactMap(\.log?.end).max(),
        let file = store.files.first(where: { $0.role == area.file }),
        let last = store.lastNonzero(in: Extent(area.file, end..<max(end, area.end))),
        last < file.image.count
      else { return nil }
      return Part(file: file, range: end..<last + 1)
    }
  }

  /// The number of bytes.
  package var count: Int { parts.reduce(0) { $0 + $1.range.count } }

  /// Returns whether what is at `extent` begins among them.
  package func contain(_ extent: Extent) -> Bool {
    parts.contains { part in
      part.file.role == extent.file && part.range.contains(extent.range.lowerBound)
    }
  }

  /// Writes zeros over the bytes.
  ///
  /// - Throws: When a file cannot be written, or has other bytes than when it was read.
  package func overwrite() throws(FileError) {
    for part in parts {
      try Overwriting.zero([part.range], of: part.file.path, expecting: part.file.image)
    }
  }
}
