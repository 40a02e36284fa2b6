package import KVModel
package import SystemPackage

/// The formats without a log that files may have, and which of them the files at a path are.
package struct Readers {
  /// From which likelihood on files are taken for one of them.
  private static let recognized = 60

  private let readers: [any EntryReader]

  package init(_ readers: [any EntryReader]) { self.readers = readers }

  /// What the first of the formats finds at `path`.
  ///
  /// - Throws: When that is nothing.
  package func first(
    at path: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> (any EntryReader, [StoreFile]) {
    guard let reader = readers.first else { throw .noStore(in: path, format: "known") }
    return (reader, try reader.discover(at: path, in: source))
  }

  /// The likeliest format of the files at `path`; `nil` where none is likely.
  ///
  /// - Throws: When a file is there and cannot be read, and no format is likely without it.
  package func likeliest(
    at path: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> (reader: any EntryReader, files: [StoreFile], likelihood: Int)? {
    var best: (reader: any EntryReader, files: [StoreFile], likelihood: Int)?
    var obstacle: DiscoveryError?
    for reader in readers {
      do throws(DiscoveryError) {
        let files = try reader.discover(at: path, in: source)
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
