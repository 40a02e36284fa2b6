import KVBytes
import KVModel
import KVSystem
import SystemPackage

/// The names of files that hold one value each and are named by the MD5 of its key, as in
/// AsyncStorage and YYCache.
///
/// If the index that lists the keys is lost, a key can be found among candidates.
enum ValueFiles {
  /// Keys that many apps use, because libraries choose them or tutorials suggest them.
  ///
  /// redux-persist has `persist:` with the name of a reducer, `root` by default; before version 5, it
  /// had `reduxPersist:`.
  static let wellKnownKeys: [Key] =
    [
      "persist:root", "persist:auth", "persist:user", "persist:settings", "persist:app",
      "persist:primary", "persist:nav", "persist:cart", "persist:store", "persist:data",
      "reduxPersist:auth", "reduxPersist:user", "reduxPersist:settings", "reduxPersistIndex",
      "apollo-cache-persist", "REACT_QUERY_OFFLINE_CACHE", "i18nextLng", "supabase.auth.token",
      "NAVIGATION_STATE", "NAVIGATION_STATE_V1", "navigationState", "RCTI18nUtil_allowRTL",
      "root", "state", "user", "users", "userData", "user_data", "userInfo", "profile", "account",
      "auth", "token", "accessToken", "access_token", "refreshToken", "session", "credentials",
      "settings", "config", "preferences", "theme", "language", "cart", "cache", "data", "store",
      "todos", "tasks", "notes", "messages", "favorites", "bookmarks", "history", "items", "posts",
      "@user", "@token", "@auth", "@session", "@settings", "@cart", "@storage_Key",
    ].map { Key(Array($0.utf8)) }

  /// Returns whether the file at `path` is named like an MD5: 32 digits, with lowercase letters.
  static func isNamedByDigest(_ path: FilePath) -> Bool {
    path.lastComponent.map(isDigest) ?? false
  }

  /// Returns whether `name` is one that ``isNamedByDigest(_:)`` accepts.
  static func isDigest(_ name: String) -> Bool {
    name.utf8.count == 32
      && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  /// Returns whether `name` is one that ``isNamedByDigest(_:)`` accepts.
  static func isDigest(_ name: FilePath.Component) -> Bool {
    name.bytes.count == 32 && isDigest(name.string)
  }

  /// Returns the keys among `candidates` and the well-known ones, by the names of their files.
  ///
  /// `digest` returns `nil` in a build without MD5. A key that comes first is preferred.
  static func names(
    of candidates: [Key], _ digest: ([UInt8]) -> [UInt8]?
  ) -> [ByteText: Key] {
    var names: [ByteText: Key] = [:]
    for key in candidates + wellKnownKeys {
      guard let name = digest(key.bytes).map({ ByteText(Hexadecimal.text($0)) }) else { continue }
      if names[name] == nil { names[name] = key }
    }
    return names
  }

  /// Returns whether one of the file names is that of a well-known key or one of `candidates`, which
  /// no file has by chance.
  static func haveKnownName(
    _ fileNames: [String], _ candidates: [Key], _ digest: ([UInt8]) -> [UInt8]?
  ) -> Bool {
    let names = names(of: candidates, digest)
    return fileNames.contains { names[ByteText($0)] != nil }
  }

  /// Returns the entry of `file`, whose index is lost, with the key `key` or, if that is unknown, the
  /// name of the file in its place.
  static func entry(_ file: StoreFile, _ key: Key?, _ value: Value) -> TypedEntry {
    TypedEntry(
      key: key ?? Key(Array((file.path.lastComponent?.string ?? "").utf8)), value: value,
      origin: EntryOrigin(
        .guess, cautions: [.mayBeDamaged, .mayBeStale], at: file.place(file.image.range)))
  }

  /// Returns the fit of `entry`, one of `table`, in a new store: none, if only the file of its value
  /// shows it and the name of the file is in place of the key.
  static func fit(_ entry: TypedEntry, of table: EntryTable) -> EntryFit {
    guard let name = entry.key.text, isDigest(name),
      table.files.contains(where: { $0.role == .external && $0.path.name == name })
    else { return EntryFit(entry) }
    return EntryFit(leftOut: "its key is unknown: the name of its file is the MD5 of the key")
  }

  /// Returns the finding of a store whose index is empty although `count` values are there, or `nil`
  /// if there are none.
  static func emptied(_ index: String, _ count: Int) -> Finding? {
    guard count > 0 else { return nil }
    return Finding(
      LogFindings.emptied, at: nil,
      "\(index) is empty, but \(count.grouped) \(count == 1 ? "value is" : "values are") still there: "
        + "the app has removed them, or has started with a new index because it could not read the old "
        + "one")
  }
}
