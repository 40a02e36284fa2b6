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

  /// Returns whether a file is missing that the live records of `copy`, which is intact, name; `nil` if
  /// they name none.
  func lacksFiles(of copy: AndroidCopy) -> Bool? {
    let names = names(in: copy)
    return names.isEmpty ? nil : names.contains { image(named: $0) == nil }
  }

  private func names(in copy: AndroidCopy) -> [String] {
    let image = copy.decoded.stored
    return AndroidShapes(image, in: copy.whole?.range ?? 0..<0).compactMap { shape in
      shape.isExternal && !shape.isStruck ? String(utf8: image.bytes(in: shape.content)) : nil
    }
  }

  /// Returns whether there is a nonempty file called `name`.
  func isThere(_ name: String) -> Bool {
    byName[ByteText(name)].map { files[$0].image.count > 0 } ?? false
  }
}
