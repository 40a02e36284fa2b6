import ExchangeFormats
import Foundation
import KVBytes
import KVInput
import KVModel
import KVSystem
import KVTestSupport
import SystemPackage
import Testing

/// What apps' libraries do with damaged files, compared with what the libraries did.
///
/// `Fixtures/README.md` says which libraries were run.
struct LibraryLoadTests {
  /// A file, and what a library made of it.
  struct Result: Sendable, CustomStringConvertible {
    let format: String
    let file: String
    let outcome: String
    let count: Int

    var description: String { "\(format)/\(file)" }
  }

  private static let results: [Result] = {
    let path = "Fixtures/libraries/RESULTS.tsv"
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").dropFirst().map { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      return Result(
        format: fields[0], file: fields[1], outcome: fields[2], count: Int(fields[3]) ?? -1)
    }
  }()

  @Test func thereAreResultsOfAllLibraries() {
    #expect(Self.results.count > 170)
    #expect(Set(Self.results.map(\.format)) == ["datastore", "plist", "sharedprefs"])
    #expect(Set(Self.results.map(\.outcome)) == ["loads", "empty", "CorruptionException"])
  }

  @Test(arguments: results)
  func thePredictionIsWhatTheLibraryDid(_ result: Result) throws {
    let folder = FilePath("Fixtures/libraries/\(result.format)")
    let reader: any EntryReader =
      switch result.format {
      case "sharedprefs": SharedPreferencesFormat()
      case "datastore": DataStoreFormat()
      default: PropertyListFormat()
      }
    let table = try reader.table(reader.discover(at: folder.appending(result.file)))
    let load = try #require(table.loads.first)
    #expect(load.entries.count == result.count)
    switch result.outcome {
    case "loads": #expect([.loaded, .rolledBack].contains(load.load.outcome))
    case "empty": #expect(load.entries.isEmpty && load.load.outcome != .crashed)
    default: #expect(load.load.callbacks == [result.outcome] && load.load.outcome == .crashed)
    }
  }
}
