import KVBytes
import KVCryptography
import KVSystem
import SystemPackage

/// How MMKV names the files of an instance.
///
/// Reference: `Docs/FORMAT-MMKV.md` § Files.
enum FileNames {
  /// What the meta file's name ends in, after the name of the data file.
  static let metaSuffix = ".crc"
  /// The folder of ids that cannot be file names.
  static let hashedFolder = "specialCharacter"
  /// The characters that make an id one of those.
  private static let specialCharacters = Set("\\/:*?\"<>|")

  /// Whether the engine stores `id` under a hash.
  static func isSpecial(_ id: String) -> Bool { id.contains { specialCharacters.contains($0) } }

  /// The MD5 of `text` as the engine spells it; `nil` in a build without digests.
  static func hashed(_ text: String) -> String? {
    Cryptography.md5(Array(text.utf8)).map { Hexadecimal.text($0) }
  }

  /// Whether `name` looks like the hash of an id.
  static func looksHashed(_ name: String) -> Bool {
    name.utf8.count == 32 && Hexadecimal.bytes(name) != nil
  }

  /// The data files that `id` can have below `root`, the present rule first.
  static func candidates(for id: String, below root: FilePath) -> [FilePath] {
    var paths: [FilePath] = []
    if isSpecial(id) {
      if let hash = hashed(id) { paths.append(root.appending(hashedFolder).appending(hash)) }
    } else {
      paths.append(root.appending(id))
    }
    // Android before 2.0, with a root of the app's own.
    if let hash = hashed("\(root)/\(id)") { paths.append(root.appending(hash)) }
    return paths
  }

  /// Which of `ids` the hashed name `path` belongs to.
  static func id(of path: FilePath, among ids: [String]) -> String? {
    guard let name = path.lastComponent?.string, looksHashed(name) else { return nil }
    let folder = path.removingLastComponent()
    return ids.first { hashed($0) == name || hashed("\(folder)/\($0)") == name }
  }
}
