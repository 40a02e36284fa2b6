import Foundation
import SystemPackage

/// A folder for one test.
final class Scratch: Sendable {
  // It is a class so that the folder is removed when the test that made it ends.

  /// The path of the folder.
  let path: String

  init() throws {
    // The path has no links, so that the tool prints paths as they were given.
    let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "kvfsck-tests-\(UUID().uuidString)", directoryHint: .notDirectory)
    path = folder.path(percentEncoded: false)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Returns the path of `name` in the folder.
  func path(_ name: String) -> String { path + "/" + name }

  /// Makes a folder called `name`.
  func makeFolder(_ name: String) throws -> String {
    try FileManager.default.createDirectory(
      atPath: path(name), withIntermediateDirectories: false)
    return path(name)
  }

  /// Writes `bytes` to a file called `name`.
  func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
    try Data(bytes).write(to: URL(filePath: path(name)))
    return path(name)
  }

  /// Copies the files of a fixture, except its description, to a new folder called `name`.
  func copy(_ fixture: Fixture, to name: String = "store") throws -> String {
    let target = try makeFolder(name)
    for file in fixture.files {
      try FileManager.default.copyItem(
        atPath: "\(fixture.path)/\(file)", toPath: "\(target)/\(file)")
    }
    return target
  }

  /// Returns the names in the folder called `name`, or `nil` if there is no such folder.
  func names(in name: String) -> [String]? {
    try? FileManager.default.contentsOfDirectory(atPath: path(name)).sorted()
  }

  /// Returns the bytes of the file called `name`.
  func bytes(of name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: path(name))))
  }
}

/// The files of a folder, with their contents and modification dates.
struct FolderState: Hashable {
  private struct File: Hashable {
    let bytes: Data
    let date: Date
  }

  private let files: [String: File]

  init(of folder: String) throws {
    var files: [String: File] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      let path = "\(folder)/\(name)"
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
      files[name] = File(
        bytes: try Data(contentsOf: URL(filePath: path)),
        date: attributes[.modificationDate] as? Date ?? .distantPast)
    }
    self.files = files
  }
}

extension FileManager {
  /// Returns the permission bits of the file or folder at `path`.
  func permissions(of path: String) throws -> Int? {
    (try attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
  }
}

extension FolderState {
  /// Returns the bytes of all files in `folder`, by their relative paths.
  static func bytes(in folder: String) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      // A folder has no bytes.
      files[name] = try? Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
    }
    return files
  }
}
