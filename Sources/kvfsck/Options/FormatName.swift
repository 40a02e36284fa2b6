import ArgumentParser
import ExchangeFormats
import KVFixtures
import KVModel
import KVToolkit

/// A format of the catalog that `--format` takes.
struct ReadableFormat: ExpressibleByArgument, Equatable {
  /// The format of a table whose columns are named.
  static let table = ReadableFormat(name: SQLiteTableReader.name)
  /// The one whose table may be named.
  static let wcdb = ReadableFormat(name: WCDBReader.name)
  /// The names of all of them.
  static var allValueStrings: [String] {
    Kvfsck.formats.entries.filter(\.isReadable).map(\.name)
  }
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

  let name: String

  private init(name: String) { self.name = name }

  init?(argument: String) {
    guard Self.allValueStrings.contains(argument) else { return nil }
    name = argument
  }

  /// Whether the format has a log of records, which `check`, `repair` and `map` are about.
  var hasLog: Bool { Kvfsck.formats[name]?.hasLog ?? false }

  var defaultValueDescription: String { name }
}

/// A format of the catalog that `--to` takes.
struct WritableFormat: ExpressibleByArgument {
  /// The names of all of them.
  static var allValueStrings: [String] {
    Kvfsck.formats.entries.filter(\.isWritable).map(\.name)
  }
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

  let name: String
  /// What writing it has a choice of.
  let variants: Set<FormatVariant>
  /// Makes what writes it.
  let encoder: @Sendable (FormatOptions) -> any EntryEncoder

  init?(argument: String) {
    guard let entry = Kvfsck.formats[argument], let encoder = entry.encoder else {
      return nil
    }
    name = entry.name
    variants = entry.variants
    self.encoder = encoder
  }

  var defaultValueDescription: String { name }
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
