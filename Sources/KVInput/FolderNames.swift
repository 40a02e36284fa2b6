import KVModel
import KVSystem
import SystemPackage

/// The names in folders on disk, each of which is listed once, for several sources on any threads.
///
/// A format can ask for the names in its folder for each file, of which a folder may have thousands.
package final class FolderNames: Sendable {
  private let known = Guarded<[FilePath: [FilePath.Component]]>([:])

  /// Creates names, none of which are known.
  package init() {}

  /// Returns the sorted names in `folder`, except those of unfinished output.
  ///
  /// - Throws: `.system` if the folder cannot be listed.
  func names(in folder: FilePath) throws(FileError) -> [FilePath.Component] {
    if let names = known.use({ $0[folder] }) { return names }
    let names = try Folder.components(in: folder)
    known.use { $0[folder] = names }
    return names
  }
}
