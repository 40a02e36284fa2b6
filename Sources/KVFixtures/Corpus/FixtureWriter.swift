import KVBytes
package import KVSystem
package import SystemPackage

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes damaged stores and corpora; a folder is complete or not there.
package struct FixtureWriter {
  /// A writer.
  package init() {}

  /// Writes a store and its answer key into a new folder.
  ///
  /// - Throws: `.file` where there is anything already, or writing fails.
  package func write(_ store: DamagedStore, to folder: FilePath) throws(FixtureError) {
    do throws(FileError) {
      var files = PendingWrite(existing: .keep)
      try Self.add(store, at: folder, &files)
      try files.commit()
    } catch {
      throw .file(error)
    }
  }

  /// Writes a corpus into a new folder; `progress` gets how many cases are there.
  ///
  /// - Throws: `.file` where there is anything already, or writing fails.
  package func write(
    _ corpus: Corpus, to folder: FilePath, progress: (Int) -> Void = { _ in }
  ) throws(FixtureError) -> CorpusManifest {
    var files = PendingWrite(existing: .keep)
    do throws(FileError) {
      try files.makeFolder(at: folder)
      try files.makeFolder(at: folder.appending(CorpusLayout.folder))
    } catch {
      throw .file(error)
    }
    var count = 0
    let manifest = try corpus.forEachCase { (found) throws(FixtureError) in
      do throws(FileError) {
        try Self.add(
          found.store, at: folder.appending(CorpusLayout.path(of: found.entry.name)), &files)
      } catch {
        throw .file(error)
      }
      count += 1
      progress(count)
    }
    do throws(FileError) {
      try files.add(Self.json(manifest), at: folder.appending(CorpusManifest.fileName))
      try files.add(
        Array(CorpusReadme.text(manifest).utf8), at: folder.appending(CorpusLayout.readmeName))
      try files.commit()
    } catch {
      throw .file(error)
    }
    return manifest
  }

  /// Adds a store and its answer key, in a folder that is made, to `files`.
  ///
  /// - Throws: Where there is anything already, or writing fails.
  package static func add(
    _ store: DamagedStore, at folder: FilePath, _ files: inout PendingWrite
  ) throws(FileError) {
    try files.makeFolder(at: folder)
    let place = folder.appending(CorpusLayout.storeFolder)
    try files.makeFolder(at: place)
    var made: Set<FilePath> = [place]
    for file in store.image.files {
      let path = place.appending(file.name)
      let parent = path.removingLastComponent()
      if made.insert(parent).inserted { try files.makeFolder(at: parent) }
      try files.add(file.bytes, at: path)
    }
    try files.add(json(store.answer), at: folder.appending(CorpusLayout.answerName))
  }

  private static func json(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      return [UInt8](try encoder.encode(value)) + [UInt8(ascii: "\n")]
    } catch {
      // Strings and integers only: there is nothing that JSON cannot hold.
      preconditionFailure("an answer cannot be encoded: \(error)")
    }
  }
}
