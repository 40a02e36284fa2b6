package import KVModel
package import SystemPackage

/// The formats without a log that files may have, and which of them the files at a path are.
package struct Readers {
  /// From which likelihood on files are taken for one of them.
  package static let recognized = 60
  /// From which likelihood on they are where nobody has named them.
  package static let recognizedUnnamed = 70

  private let readers: [any EntryReader]
  private let recognized: Int

  /// A choice among `readers`, of files for which at least the likelihood `recognized` speaks.
  package init(_ readers: [any EntryReader], recognized: Int = Readers.recognized) {
    self.readers = readers
    self.recognized = recognized
  }

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
        if likelihood >= recognized, likelihood > best?.likelihood ?? 0 {
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
