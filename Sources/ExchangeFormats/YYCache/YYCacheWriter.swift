import KVModel
import KVSystem
import SystemPackage

/// Fills the manifest of a new cache.
enum YYCacheWriter {
  // The same statements as in YYKVStorage _dbInitialize.
  static let creation = """
    create table if not exists manifest (key text, filename text, size integer, \
    inline_data blob, modification_time integer, last_access_time integer, \
    extended_data blob, primary key(key));
    create index if not exists last_access_time_idx on manifest(last_access_time);
    """
  static let insertion = """
    insert or replace into manifest(
      key, filename, size, inline_data, modification_time, last_access_time, extended_data)
    values(cast(? as text), ?, ?, ?, ?, ?, null)
    """

  /// Writes the manifest of `source` at `path`, where an empty file may exist.
  ///
  /// Returns the values that belong in files.
  static func write(
    _ source: EntrySource, of format: YYCacheFormat, to path: FilePath
  ) throws(ConversionError) -> [(name: String, bytes: [UInt8])] {
    var large: [(name: String, bytes: [UInt8])] = []
    try NewDatabase.fill(at: path) { database in
      try database.execute(creation)
      let statement = try database.statement(insertion)
      try source.forEachEntry { (entry) throws(ConversionError) in
        let bytes = YYCacheFormat.data(entry.value)
        var name: String?
        if bytes.count > YYCacheFormat.maximumInlineCount, let own = format.fileName(of: entry.key)
        {
          name = own
          large.append((own, bytes))
        }
        try NewDatabase.rethrowing { () throws in
          try statement.run([
            .blob(entry.key.bytes), name.map { .text($0) } ?? .null, .integer(Int64(bytes.count)),
            name == nil ? .blob(bytes) : .null, .integer(format.time), .integer(format.time),
          ])
        }
      }
    }
    return large
  }
}
