import KVBytes
import KVModel
import KVSystem
import SystemPackage

/// The external files, by name.
struct ExternalFiles: Sendable {
  let files: [StoreFile]
  private let byName: [ByteText: Int]

  init(_ files: [StoreFile]) {
    self.files = files
    var byName: [ByteText: Int] = [:]
    for (index, file) in files.enumerated() {
      byName[ByteText(file.path.lastComponent?.string ?? "")] = index
    }
    self.byName = byName
  }

  /// Returns the file called `name`, or else the one that was to be renamed to it; `nil` if neither
  /// exists or both are empty.
  ///
  /// The engine treats an empty file like a missing one.
  func image(named name: String) -> FileImage? {
    [name, name + ExternalName.temporarySuffix].lazy
      .compactMap { byName[ByteText($0)] }.map { files[$0].image }.first { $0.count > 0 }
  }

  /// Returns whether there is a nonempty file called `name`.
  func isThere(_ name: String) -> Bool {
    byName[ByteText(name)].map { files[$0].image.count > 0 } ?? false
  }
}
