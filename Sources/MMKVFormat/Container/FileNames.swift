import KVBytes
import KVCryptography
import KVSystem
import SystemPackage

/// How MMKV names the files of an instance.
///
/// Reference: `Docs/FORMAT-MMKV.md` § Files.
enum FileNames {
  /// The suffix that a meta file's name adds to that of the data file.
  static let metaSuffix = ".crc"
  /// The folder for ids that cannot be file names.
  static let hashedFolder = "specialCharacter"
  /// The characters that cannot be in a file name.
  private static let specialCharacters = Set("\\/:*?\"<>|".utf8)

  /// Returns whether the engine stores `id` under a hash.
  ///
  /// As the engine does, it compares bytes: a slash with a combining accent after it is a slash.
  static func isSpecial(_ id: String) -> Bool {
    id.utf8.contains { specialCharacters.contains($0) }
  }

  /// Returns the MD5 of `text` as the engine writes it; `nil` in a build without hash functions.
  static func hashed(_ text: String) -> String? { hashed(Array(text.utf8)) }

  private static func hashed(_ bytes: [UInt8]) -> String? {
    Cryptography.md5(bytes).map { Hexadecimal.text($0) }
  }

  /// Returns the MD5 of the path of `id` below `root`, whose name need not be UTF-8.
  private static func hashed(_ id: String, below root: FilePath) -> String? {
    hashed(root.bytes + [UInt8(ascii: "/")] + id.utf8)
  }

  /// Returns whether `name` looks like the hash of an id.
  static func looksHashed(_ name: String) -> Bool {
    name.utf8.count == 32 && Hexadecimal.bytes(name) != nil
  }

  /// Returns the data files that `id` can have below `root`, that of the current rule first.
  static func candidates(for id: String, below root: FilePath) -> [FilePath] {
    var paths: [FilePath] = []
    if isSpecial(id) {
      if let hash = hashed(id) { paths.append(root.appending(hashedFolder).appending(hash)) }
    } else {
      paths.append(root.appending(id))
    }
    // MMKV for Android before 2.0, with a root set by the app.
    if let hash = hashed(id, below: root) { paths.append(root.appending(hash)) }
    return paths
  }

  /// Returns the one of `ids` whose hash is the name of `path`.
  static func id(of path: FilePath, among ids: [String]) -> String? {
    guard let name = path.lastComponent?.string, looksHashed(name) else { return nil }
    let folder = path.parent
    return ids.first { hashed($0) == name || hashed($0, below: folder) == name }
  }
}
