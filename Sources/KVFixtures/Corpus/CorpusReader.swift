import KVBytes
import KVInput
import KVModel
import KVSystem
package import SystemPackage

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads a corpus from a folder, for scoring.
package struct CorpusReader: Sendable {
  /// The subject of a score, by the name that reports use.
  package enum Subject: String, Hashable, Sendable, CaseIterable {
    /// kvfsck, as `kvfsck dump` reads a store.
    case kvfsck
    /// The app's engine, if the app answers `discard` or is not asked.
    case engineDiscarding = "engine-discard"
    /// The app's engine, if the app answers `recover`.
    case engineRecovering = "engine-recover"
    /// Another tool, by its result files.
    case results
  }

  /// The contents of the corpus.
  package let manifest: CorpusManifest
  private let folder: FilePath
  private let formats: [FixtureFormat]

  /// Opens the corpus in `folder`, with stores of `formats`.
  ///
  /// - Throws: `.file` or `.malformed` if the manifest cannot be read.
  package init(
    in folder: FilePath, formats: [FixtureFormat] = SimulatedFormat.allCases.map(\.format)
  ) throws(FixtureError) {
    self.folder = folder
    self.formats = formats
    let path = folder.appending(CorpusManifest.fileName)
    manifest = try Self.decode(CorpusManifest.self, at: path)
    guard manifest.schema == CorpusManifest.currentSchema else {
      throw .malformed(
        path: path.string,
        "its schema is \(manifest.schema); this version reads \(CorpusManifest.currentSchema)")
    }
    for entry in manifest.cases {
      for name in [entry.name, entry.store, entry.answer] where !Self.isBelow(name) {
        throw .malformed(path: path.string, "“\(name)” is not a path inside the corpus")
      }
    }
  }

  /// Returns the scores of kvfsck and of the engine for a case.
  ///
  /// - Throws: `.file` or `.malformed` if the store or its answer key cannot be read.
  package func ownScores(
    of entry: CorpusManifest.Case
  ) throws(FixtureError) -> [(subject: Subject, score: CaseScore)] {
    let answer = try answer(of: entry)
    let files = try files(of: entry, answer)
    let reading = OwnReading(files, answer)
    return [
      (.kvfsck, CaseScore(reading.recovered, by: answer)),
      (.engineDiscarding, CaseScore(reading.engineDiscarding, by: answer)),
      (.engineRecovering, CaseScore(reading.engineRecovering, by: answer)),
    ]
  }

  /// Returns the score of the results of another tool for a case.
  ///
  /// - Throws: `.file` or `.malformed` if the answer key cannot be read.
  package func score(
    _ results: ResultLines, of entry: CorpusManifest.Case
  ) throws(FixtureError) -> CaseScore {
    CaseScore(results.entries, by: try answer(of: entry))
  }

  private func answer(of entry: CorpusManifest.Case) throws(FixtureError) -> CaseAnswer {
    let path = folder.appending(entry.answer)
    let key = try Self.decode(AnswerKey.self, at: path)
    do throws(FixtureError) {
      return try CaseAnswer(key, formats: formats)
    } catch {
      if case .malformed(_, let reason) = error { throw .malformed(path: path.string, reason) }
      throw error
    }
  }

  private func files(
    of entry: CorpusManifest.Case, _ answer: CaseAnswer
  ) throws(FixtureError) -> [StoreFile] {
    let path = folder.appending(entry.store)
    let format = answer.format.storeFormat(key: answer.key, now: answer.now)
    do throws(DiscoveryError) {
      // As `kvfsck dump`, which undoes what a copy changed.
      return try Recognizer(Formats([format]), Readers([]))
        .files(at: path, .namedWithFormat, in: DiskSource()).files
    } catch .file(let error) {
      throw .file(error)
    } catch {
      throw .malformed(path: entry.store, error.message)
    }
  }

  private static func decode<T: Decodable>(
    _ type: T.Type, at path: FilePath
  ) throws(FixtureError) -> T {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try FileImage.read(path).bytes
    } catch {
      throw .file(error)
    }
    do {
      return try JSONDecoder().decode(type, from: Data(bytes))
    } catch {
      let reason = (error as? DecodingError)?.explanation ?? "it is not JSON"
      throw .malformed(path: path.string, reason)
    }
  }

  /// Returns whether a path in the manifest stays below the folder of the corpus.
  private static func isBelow(_ name: String) -> Bool {
    let path = FilePath(name)
    return !name.isEmpty && path.isRelative
      && path.components.allSatisfy { $0.kind == .regular }
  }
}
