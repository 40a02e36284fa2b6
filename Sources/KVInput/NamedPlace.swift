package import KVModel
import KVSystem
package import SystemPackage

/// Where a path that the user has named leads: a source of files, and the path in it.
package struct NamedPlace {
  /// The disk, or the archive that the path leads into.
  package let source: any FileSource
  /// The path in the source.
  package let path: FilePath
  /// What the user should know about the archive.
  package let problems: [String]
  /// Whether the path is that of a folder in an archive that has further members with its names.
  package let hasLayers: Bool

  /// Creates the place `path` in `source`.
  package init(
    _ source: any FileSource, _ path: FilePath, problems: [String] = [], hasLayers: Bool = false
  ) {
    self.source = source
    self.path = path
    self.problems = problems
    self.hasLayers = hasLayers
  }

  /// Finds the place that `named` leads to, on `disk` unless it is in an archive.
  ///
  /// - Throws: If it cannot be read, or if it is an archive and not `isFormatNamed`: of a file whose
  ///   format the user names, the bytes are read.
  package init(
    named: FilePath, on disk: DiskSource = DiskSource(), isFormatNamed: Bool
  ) throws(DiscoveryError) {
    let place: ArchivePlace?
    do throws(FileError) {
      place = try ArchivePlace(named: named)
    } catch {
      throw .file(error)
    }
    if !isFormatNamed,
      let archive = place.map({ $0.tree.archive(at: $0.path) }) ?? ArchiveFile(at: named),
      !archive.isUncertain
    {
      if let refusal = archive.refusal { throw .file(.member(path: named, reason: refusal)) }
      throw .archive(named)
    }
    guard let place else {
      self.init(disk, named)
      return
    }
    self.init(
      ArchiveSource(place.tree), place.path, problems: place.problems, hasLayers: place.hasLayers)
  }
}
