import KVBytes
import KVModel
import KVSystem
import SystemPackage

/// The files that hold one value each, by name.
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

  /// The file called `name`, or the one that was to be renamed to that; `nil` where neither is
  /// there or it is empty, which to the engine is the same.
  func image(named name: String) -> FileImage? {
    [name, name + ExternalName.temporarySuffix].lazy
      .compactMap { byName[ByteText($0)] }.map { files[$0].image }.first { $0.count > 0 }
  }

  /// Whether there is a file called `name`, and whether it holds anything.
  func isThere(_ name: String) -> Bool {
    byName[ByteText(name)].map { files[$0].image.count > 0 } ?? false
  }
}
