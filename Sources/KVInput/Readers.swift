package import KVModel
package import SystemPackage

/// The formats without a log, and the choice among them for the files at a path.
package struct Readers {
  /// The likelihood from which files are recognized as one of the formats.
  package static let recognized = 60
  /// The likelihood from which files that the user did not name are recognized.
  package static let recognizedUnnamed = 70
  /// The least likelihood of files that are where apps keep files of the format; see
  /// ``EntryReader/keepsFile(at:)``.
  ///
  /// A document of a format that apps do not keep anywhere is less likely, and a store with a log
  /// that a checksum verifies is likelier.
  package static let kept = 90

  private let readers: [any EntryReader]
  private let recognized: Int

  /// Creates a choice among `readers` that recognizes files with a likelihood of at least
  /// `recognized`.
  package init(_ readers: [any EntryReader], recognized: Int = Readers.recognized) {
    self.readers = readers
    self.recognized = recognized
  }

  /// Returns the files that the first of the formats finds at `path`.
  ///
  /// - Throws: If the format finds none.
  package func first(
    at path: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> (any EntryReader, [StoreFile]) {
    guard let reader = readers.first else { throw .noStore(in: path, format: nil) }
    return (reader, try reader.discover(at: path, in: source))
  }

  /// Returns the likeliest format of the files at `path`; `nil` if none is likely.
  ///
  /// - Throws: If a file exists that cannot be read, and no format is likely without it.
  package func likeliest(
    at path: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> (reader: any EntryReader, files: [StoreFile], likelihood: Int)? {
    var best: (reader: any EntryReader, files: [StoreFile], likelihood: Int)?
    var obstacle: DiscoveryError?
    for reader in readers {
      do throws(DiscoveryError) {
        let files = try reader.discover(at: path, in: source)
        let likelihood = likelihood(of: files, by: reader, in: source)
        if likelihood >= recognized, likelihood > best?.likelihood ?? 0 {
          best = (reader, files, likelihood)
        }
      } catch {
        // Another format may find files even if this one does not.
        if error.isObstacle { obstacle = error }
      }
    }
    if best == nil, let obstacle { throw obstacle }
    return best
  }

  /// Returns how likely it is that `files`, which `reader` found, have its format, by their place,
  /// names and content.
  private func likelihood<Reader: EntryReader>(
    of files: [StoreFile], by reader: Reader, in source: any FileSource
  ) -> Int {
    let content = reader.recognition(of: files.read).likelihood
    guard content < Readers.kept, let main = files.first,
      Reader.keepsFile(at: source.location(of: main.path))
    else { return content }
    return Readers.kept
  }
}
