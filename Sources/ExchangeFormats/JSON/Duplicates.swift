import KVModel

/// Keys that a file has more than once, though its format has each once.
enum Duplicates {
  /// A finding for each key that is there again; the last entry counts.
  static func findings(among entries: [TypedEntry]) -> [Finding] {
    var seen: Set<Key> = []
    return entries.filter { !seen.insert($0.key).inserted }.map { entry in
      Finding(
        "json.duplicate-key", .warning, at: entry.origin.extent,
        "the key \(entry.key.text.map(Value.quoted) ?? "of bytes that are not UTF-8") is there "
          + "more than once; the last entry counts")
    }
  }
}
