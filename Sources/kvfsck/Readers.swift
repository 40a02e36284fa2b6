import KVModel
import SystemPackage

/// The formats without a log that the tool knows, and which of them the files at a path are.
struct Readers {
  /// From which likelihood on files are taken for one of them.
  private static let recognized = 60

  private let readers: [any EntryReader]

  init(_ readers: [any EntryReader]) { self.readers = readers }

  /// What the first of the formats finds at `path`.
  ///
  /// - Throws: When that is nothing.
  func first(at path: FilePath) throws(DiscoveryError) -> (any EntryReader, [StoreFile]) {
    guard let reader = readers.first else { throw .noStore(in: path, format: "known") }
    return (reader, try reader.discover(at: path))
  }

  /// The likeliest format of the files at `path`; `nil` where none is likely.
  ///
  /// - Throws: When a file is there and cannot be read, and no format is likely without it.
  func likeliest(
    at path: FilePath
  ) throws(DiscoveryError) -> (reader: any EntryReader, files: [StoreFile], likelihood: Int)? {
    var best: (reader: any EntryReader, files: [StoreFile], likelihood: Int)?
    var obstacle: DiscoveryError?
    for reader in readers {
      do throws(DiscoveryError) {
        let files = try reader.discover(at: path)
        let likelihood = reader.recognition(of: files.read).likelihood
        if likelihood >= Readers.recognized, likelihood > best?.likelihood ?? 0 {
          best = (reader, files, likelihood)
        }
      } catch {
        // What one format does not find, another may.
        if error.isObstacle { obstacle = error }
      }
    }
    if best == nil, let obstacle { throw obstacle }
    return best
  }
}
