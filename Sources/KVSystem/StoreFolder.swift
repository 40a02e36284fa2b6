import KVBytes
package import SystemPackage

/// A store's folder, out of which no symbolic link is followed.
///
/// A link that the user names is followed wherever it leads. A link found beside it may have been
/// put there by someone else, and may lead to any file on the machine.
package struct StoreFolder: Sendable {
  /// The folders that no path may lead out of; `nil` if there are no links to follow.
  private let roots: [FilePath]?

  /// A folder whose files are known not to be reached through links.
  package static let withoutLinks = StoreFolder(roots: nil)

  private init(roots: [FilePath]?) { self.roots = roots }

  /// Creates the folder of `file`, which was found because the user named `path`; if `path` is a
  /// link, the folder of its target belongs to it too.
  package init(of file: FilePath, named path: FilePath) {
    let target = Folder.target(of: path)
    let named = target.map { Folder.exists($0) ? $0 : $0.parent }
    let own = try? file.parent.orCurrent.resolved()
    roots = [own, named].compactMap(\.self)
  }

  /// Returns whether a link on the way to `path` leads out of the folder.
  package func isLeft(by path: FilePath) -> Bool {
    guard roots != nil, let target = try? path.resolved() else { return false }
    return !contains(target)
  }

  /// Checks that no link on the way to `path` leads out of the folder.
  ///
  /// - Throws: `.leadsOut` if one does; `.system` if `path` cannot be resolved.
  package func check(_ path: FilePath) throws(FileError) {
    guard roots != nil else { return }
    let target: FilePath
    do throws(Errno) {
      target = try path.resolved()
    } catch {
      throw FileError.system(operation: "read", path: path, errno: error)
    }
    guard contains(target) else { throw FileError.leadsOut(path: path, target: target) }
  }

  private func contains(_ target: FilePath) -> Bool {
    roots?.contains { target.starts(with: $0) } ?? true
  }
}
