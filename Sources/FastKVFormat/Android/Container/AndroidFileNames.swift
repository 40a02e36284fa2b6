import KVBytes
package import KVModel
import KVSystem
import SystemPackage

extension FileRole {
  /// The `.kva` file.
  package static var copyA: FileRole { FileRole(2) }
  /// The `.kvb` file.
  package static var copyB: FileRole { FileRole(3) }
  /// The `.kvc` file.
  package static var copyC: FileRole { FileRole(4) }
}

/// The names of a store's files.
///
/// Reference: `Docs/FORMAT-FASTKV-ANDROID.md` § Files.
package enum AndroidFileNames {
  static let suffixes: [(suffix: String, role: FileRole)] = [
    (".kva", .copyA), (".kvb", .copyB), (".kvc", .copyC),
  ]
  /// The names of the roles in reports.
  static let roleNames: [FileRole: String] = [
    .copyA: "copyA", .copyB: "copyB", .copyC: "copyC",
  ]
  package static let temporarySuffix = ".tmp"
  /// The suffix that MMKV, not FastKV, appends to a data file's name for its meta file.
  static let metaSuffix = ".crc"
  static var allSuffixes: [String] { suffixes.map(\.suffix) + [temporarySuffix] }
  /// The prefix of the file names under which FastKV writes while it encrypts a plain store.
  static let rewritePrefix = "temp_"

  /// Returns the name of the store that `file` is a copy of; `nil` if it is not a copy.
  static func stem(of file: String) -> String? {
    for suffix in allSuffixes
    where file.hasSuffix(suffix) && file != suffix {
      return String(file.dropLast(suffix.count))
    }
    return nil
  }

  /// Returns the name of the store that `file` is a copy of, with its original bytes; `nil` if it is
  /// not a copy.
  static func stem(of file: FilePath) -> FilePath? {
    allSuffixes.lazy.compactMap { file.removing(suffix: $0) }.first
  }

  /// Returns whether `file` was left by an interrupted encryption of the store called `name`.
  static func isRewrite(_ file: FilePath, of name: FilePath) -> Bool {
    stem(of: file)?.bytes == rewritePrefix.utf8 + name.bytes
  }

  /// Returns the names of the stores in a folder with these file names, sorted.
  static func stems(among names: [String]) -> [String] {
    let copies = names.filter { !$0.hasSuffix(temporarySuffix) }
    for candidates in [copies, names] {
      let stems = Set(candidates.compactMap(stem).filter { !ExternalName.isName($0) })
      let own = stems.filter {
        !$0.hasPrefix(rewritePrefix) || !stems.contains(String($0.dropFirst(rewritePrefix.count)))
      }
      if !own.isEmpty { return own.sorted() }
    }
    return []
  }

  /// Returns whether `name` is that of an external file, renamed or not.
  static func isExternal(_ name: String) -> Bool {
    let stem =
      name.hasSuffix(ExternalName.temporarySuffix)
      ? String(name.dropLast(ExternalName.temporarySuffix.count)) : name
    return ExternalName.isName(stem)
  }
}
