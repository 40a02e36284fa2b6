import ArgumentParser
import ExchangeFormats
import KVFixtures
import KVModel
import KVSystem
import KVToolkit
import SystemPackage

/// A format of the catalog that `--format` takes.
struct ReadableFormat: Equatable {
  /// The format of a table whose columns are named.
  static let table = ReadableFormat(name: SQLiteTableReader.name)
  /// The one whose table may be named.
  static let wcdb = ReadableFormat(name: WCDBReader.name)
  /// The names of all of them.
  static var allValueStrings: [String] {
    Kvfsck.formats.entries.filter(\.isReadable).map(\.name)
  }

  let name: String

  private init(name: String) { self.name = name }

  /// The format called `name`.
  ///
  /// - Throws: `ValidationError`, which names all formats, where there is none.
  static func parse(_ name: String) throws -> ReadableFormat {
    guard let entry = Kvfsck.formats[name], entry.isReadable else {
      throw Name.unknown(name, allValueStrings)
    }
    return ReadableFormat(name: entry.name)
  }

  /// Whether the format has a log of records, which `check`, `repair` and `map` are about.
  var hasLog: Bool { Kvfsck.formats[name]?.hasLog ?? false }
}

/// A format of the catalog that `--to` takes.
struct WritableFormat {
  /// The names of all of them.
  static var allValueStrings: [String] {
    Kvfsck.formats.entries.filter(\.isWritable).map(\.name)
  }

  let name: String
  /// What writing it has a choice of.
  let variants: Set<FormatVariant>
  /// Makes what writes it.
  let encoder: @Sendable (FormatOptions) -> any EntryEncoder

  /// The format called `name`.
  ///
  /// - Throws: `ValidationError`, which names all formats, where there is none.
  static func parse(_ name: String) throws -> WritableFormat {
    guard let entry = Kvfsck.formats[name], let encoder = entry.encoder else {
      throw Name.unknown(name, allValueStrings)
    }
    return WritableFormat(name: entry.name, variants: entry.variants, encoder: encoder)
  }

  /// The format that the name of the file at `path` tells.
  ///
  /// - Throws: `ValidationError` where none has such names, or several do.
  static func written(to path: String) throws -> WritableFormat {
    let name = ProcessArguments.path(path).lastComponent?.string.lowercased() ?? ""
    let all = try allValueStrings.map(parse)
    let named = all.filter { $0.suffixes.contains(where: name.hasSuffix) }
    guard let format = named.first, named.count == 1 else {
      let choices = (named.isEmpty ? all : named).map(\.name).joined(separator: ", ")
      throw ValidationError("Say which format to write, with --to: \(choices).")
    }
    return format
  }

  /// How files of the format are called.
  private var suffixes: [String] {
    let suffix = type(of: encoder(FormatOptions(now: 0))).suffix
    return suffix.isEmpty ? [] : [suffix] + (Self.otherSuffixes[suffix] ?? [])
  }

  /// What else files are called whose format has a name for them.
  private static let otherSuffixes = [
    ".jsonl": [".ndjson"], ".sqlite": [".db", ".sqlite3"], ".tsv": [".tab"],
  ]
}

extension FormatCatalog {
  /// The formats with a log, as fixtures damage and score their stores.
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
