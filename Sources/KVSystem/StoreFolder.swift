import KVBytes
package import SystemPackage

/// The folder of a store, out of which no symbolic link is followed.
///
/// A link that the user names is followed wherever it leads. A link that is found beside it may have
/// been put there by somebody else, and may lead to any file of the machine.
package struct StoreFolder: Sendable {
  /// The folders that nothing may lead out of; `nil` where there are no links to follow.
  private let roots: [FilePath]?

  /// A folder of which it is known that none of its files is reached by a link.
  package static let withoutLinks = StoreFolder(roots: nil)

  private init(roots: [FilePath]?) { self.roots = roots }

  /// The folder of `file`, which was found because the user named `path`; that to which `path` leads
  /// belongs to it where it is a link.
  package init(of file: FilePath, named path: FilePath) {
    let target = Folder.target(of: path)
    let named = target.map { Folder.exists($0) ? $0 : $0.removingLastComponent() }
    let own = try? file.removingLastComponent().orCurrent.resolved()
    roots = [own, named].compactMap(\.self)
  }

  /// Whether a link on the way to `path` leads out of the folder.
  package func isLeft(by path: FilePath) -> Bool {
    guard roots != nil, let target = try? path.resolved() else { return false }
    return !contains(target)
  }

  /// Checks that nothing on the way to `path` leads out of the folder.
  ///
  /// - Throws: `.leadsOut` where a link does, `.system` when `path` cannot be resolved.
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
