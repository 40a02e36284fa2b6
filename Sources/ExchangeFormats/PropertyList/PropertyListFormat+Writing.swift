import KVBytes
package import KVModel
package import KVSystem
package import SystemPackage

extension PropertyListFormat: EncodingRestorer {
  /// Returns how `entry` can be stored.
  package func fit(_ entry: TypedEntry) -> EntryFit {
    guard let key = entry.key.text else { return EntryFit(leftOut: "its key is not UTF-8") }
    let fitting = PropertyListFitting(isXML: isXML, holdsForbidden: holdsForbidden)
    if let obstacle = fitting.obstacle(in: key) {
      return EntryFit(leftOut: "its key: \(obstacle)")
    }
    return withoutExpiry(entry).then { fitting.fit($0.value).entry($0) }
  }

  /// Writes the entries of `source` to a file at `path`.
  ///
  /// - Throws: An error if the file cannot be written.
  package func write(
    _ source: EntrySource, to path: FilePath, into files: inout PendingWrite
  ) throws(ConversionError) {
    do throws(StreamError<ConversionError>) {
      if isXML {
        try files.stream(to: path) { (stream) throws(ConversionError) in
          let writer = XMLPropertyListWriter(stream, holdsForbidden ? .kept : .described)
          writer.begin()
          try source.forEachEntry { (entry) throws(ConversionError) in writer.write(entry) }
          writer.end()
        }
      } else {
        let entries = try Self.entries(source)
        do {
          try files.add(BinaryPropertyListWriter.bytes(of: entries), at: path)
        } catch {
          throw .file(error)
        }
      }
    } catch {
      switch error {
      case .file(let error): throw .file(error)
      case .body(let error): throw error
      }
    }
  }

  /// Returns the format that writes files of the form that those of `table` have, also with characters
  /// that other programs refuse.
  package func writing(like table: EntryTable) -> PropertyListFormat {
    let isBinary =
      table.files.first?.image.bytes.starts(with: PropertyListReader.magic) ?? false
    var format = PropertyListFormat(isXML: !isBinary)
    format.holdsForbidden = true
    return format
  }

  private static func entries(
    _ source: EntrySource
  ) throws(StreamError<ConversionError>) -> [TypedEntry] {
    do {
      return try source.allEntries()
    } catch {
      throw .body(error)
    }
  }
}
