import KVBytes
package import KVModel
import KVSystem
import SystemPackage

extension DiskImage {
  /// Creates an image of files that were read, with paths relative to their closest common folder.
  package init(_ files: [StoreFile]) {
    let folders = files.map { Array($0.path.parent.components) }
    var shared = folders.first ?? []
    for folder in folders {
      shared = Array(zip(shared, folder).prefix { $0.0 == $0.1 }.map(\.0))
    }
    self.init(
      files.map { file in
        let names = file.path.components.dropFirst(shared.count).map(\.string)
        return SimulatedFile(file.role, named: names.joined(separator: "/"), file.image.bytes)
      })
  }

  /// Returns the same files under the names that `image` has for the same roles.
  ///
  /// Files in roles that several files can have keep their names.
  package func named(like image: DiskImage) -> DiskImage {
    DiskImage(
      files.map { file in
        let other = file.role == .external ? nil : image.files.first { $0.role == file.role }
        return SimulatedFile(file.role, named: other?.name ?? file.name, file.bytes)
      })
  }
}
