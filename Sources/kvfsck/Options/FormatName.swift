import ArgumentParser
import ExchangeFormats
import KVFixtures
import KVModel
import KVSystem
import KVToolkit
import SystemPackage

/// A format that `--format` accepts.
struct ReadableFormat: Equatable {
  /// The format of a table whose columns are named.
  static let table = ReadableFormat(name: SQLiteTableReader.name)
  /// The format whose table may be named.
  static let wcdb = ReadableFormat(name: WCDBReader.name)
  /// The names of all readable formats.
  static var allValueStrings: [String] {
    Kvfsck.formats.entries.filter(\.isReadable).map(\.name)
  }

  let name: String

  private init(name: String) { self.name = name }

  /// Returns the format named `name`.
  ///
  /// - Throws: `ValidationError`, which lists all formats, if there is none.
  static func parse(_ name: String) throws -> ReadableFormat {
    guard let entry = Kvfsck.formats[name], entry.isReadable else {
      throw Name.unknown(name, allValueStrings)
    }
    return ReadableFormat(name: entry.name)
  }

  /// Whether the format has a log of records, which `check`, `repair` and `map` need.
  var hasLog: Bool { Kvfsck.formats[name]?.hasLog ?? false }
}

/// A format that `--to` accepts.
struct WritableFormat {
  /// The names of all writable formats.
  static var allValueStrings: [String] {
    Kvfsck.formats.entries.filter(\.isWritable).map(\.name)
  }

  let name: String
  /// The choices in writing the format.
  let variants: FormatVariants
  /// Whether the output is a folder.
  var writesFolder: Bool { name == YYCacheFormat.name }
  /// Creates the encoder that writes the format.
  let encoder: @Sendable (FormatOptions) -> any EntryEncoder

  /// Returns the format named `name`.
  ///
  /// - Throws: `ValidationError`, which lists all formats, if there is none.
  static func parse(_ name: String) throws -> WritableFormat {
    guard let entry = Kvfsck.formats[name], let encoder = entry.encoder else {
      throw Name.unknown(name, allValueStrings)
    }
    return WritableFormat(name: entry.name, variants: entry.variants, encoder: encoder)
  }

  /// Returns the format that the name of the file at `path` implies.
  ///
  /// - Throws: `ValidationError` if no format, or more than one, has such names.
  static func written(to path: String) throws -> WritableFormat {
    let name = ProcessArguments.path(path).lastComponent?.string.lowercased() ?? ""
    let all = try allValueStrings.map(parse)
    let named = all.filter { $0.suffixes.contains(where: name.hasSuffix) }
    guard let format = named.first, named.count == 1 else {
      let choices = (named.isEmpty ? all : named).map(\.name).joined(separator: ", ")
      throw ValidationError("Choose the format to write with --to: \(choices).")
    }
    return format
  }

  /// The suffixes of the format's files.
  private var suffixes: [String] {
    let suffix = type(of: encoder(FormatOptions(now: 0))).suffix
    return suffix.isEmpty ? [] : [suffix] + (Self.otherSuffixes[suffix] ?? [])
  }

  /// Alternative suffixes, by the usual one.
  private static let otherSuffixes = [
    ".jsonl": [".ndjson"], ".sqlite": [".db", ".sqlite3"], ".tsv": [".tab"],
  ]
}

extension FormatCatalog {
  /// The formats with a log, whose stores fixtures damage and score.
  var fixtureFormats: [FixtureFormat] {
    entries.filter(\.hasLog).map { entry in
      SimulatedFormat(rawValue: entry.name)?.format
        ?? FixtureFormat(entry.name) { key, now in
          var options = FormatOptions(now: now)
          options.keys = KeyRing(key?.bytes)
          options.isAES256 = key?.isAES256
          return entry.storeFormat(options)
        }
    }
  }
}
