import KVBytes
package import KVSystem
package import SystemPackage

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes damaged stores and corpora.
///
/// A folder is written completely or not at all.
package struct FixtureWriter {
  /// Creates a writer.
  package init() {}

  /// Writes a store and its answer key to a new folder.
  ///
  /// - Throws: `.file` if the folder exists or writing fails.
  package func write(_ store: DamagedStore, to folder: FilePath) throws(FixtureError) {
    do throws(FileError) {
      var files = PendingWrite(existing: .keep)
      try Self.add(store, at: folder, &files)
      try files.commit()
    } catch {
      throw .file(error)
    }
  }

  /// Writes a corpus to a new folder.
  ///
  /// `progress` is called after each case with the number of cases so far.
  ///
  /// - Throws: `.file` if the folder exists or writing fails.
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

  /// Adds a store and its answer key, in a new folder, to `files`.
  ///
  /// - Throws: ``FileError`` if the folder exists or writing fails.
  package static func add(
    _ store: DamagedStore, at folder: FilePath, _ files: inout PendingWrite
  ) throws(FileError) {
    try add(store.image, store.answer, at: folder, &files)
  }

  /// Adds a state that a crash left and its answer key, in a new folder, to `files`.
  ///
  /// - Throws: ``FileError`` if the folder exists or writing fails.
  package static func add(
    _ sample: CrashSample, at folder: FilePath, _ files: inout PendingWrite
  ) throws(FileError) {
    try add(sample.state.image, CrashAnswer(sample), at: folder, &files)
  }

  private static func add(
    _ image: DiskImage, _ answer: some Encodable, at folder: FilePath,
    _ files: inout PendingWrite
  ) throws(FileError) {
    try files.makeFolder(at: folder)
    let place = folder.appending(CorpusLayout.storeFolder)
    try files.makeFolder(at: place)
    var made: Set<FilePath> = [place]
    for file in image.files {
      let path = place.appending(file.name)
      let parent = path.parent
      if made.insert(parent).inserted { try files.makeFolder(at: parent) }
      try files.add(file.bytes, at: path)
    }
    try files.add(json(answer), at: folder.appending(CorpusLayout.answerName))
  }

  private static func json(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      return [UInt8](try encoder.encode(value)) + [UInt8(ascii: "\n")]
    } catch {
      // The value contains only strings and integers, which JSON can always represent.
      preconditionFailure("an answer cannot be encoded: \(error)")
    }
  }
}
