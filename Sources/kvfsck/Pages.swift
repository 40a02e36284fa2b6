import ExchangeFormats
import KVModel
import KVToolkit

/// The pages that `explain` prints: those of the library, with the commands that come next.
enum Pages {
  /// All pages, in the order of the library.
  static var all: [Explanations.Page] {
    let codes = Dictionary(
      uniqueKeysWithValues: Explanations.findings(of: Kvfsck.formats).map { ($0.name, $0) })
    return Explanations.pages(Kvfsck.formats).map { page in
      var page = page
      if let code = codes[page.name] {
        let remedy = page.paragraphs.firstIndex { $0.title == "What to do" } ?? -1
        page.paragraphs.insert(("Command", command(for: code)), at: remedy + 1)
      } else if page.kind == "format", let format = Kvfsck.formats[page.name] {
        page.paragraphs.append(("Command", command(for: format)))
      }
      return page
    }
  }

  /// Returns the commands that a reader of a finding needs next.
  private static func command(for code: FindingCode) -> String {
    switch code.name {
    case "store.emptied": return "`kvfsck repair STORE --out DIR --state before-reset`"
    case "wcdb.tables", "sqlite.no-table", "sqlite.null-key":
      return "`kvfsck dump FILE --table NAME --key-column NAME --value-column NAME`"
    case "wcdb.encrypted":
      return "`sqlcipher FILE`, with `PRAGMA key` and `sqlcipher_export`, writes a database that "
        + "kvfsck reads"
    case _ where code.cause == .encryption: return "`kvfsck check STORE --key-file FILE`"
    case _ where code.domain == "convert":
      return "`kvfsck convert STORE --to FORMAT --dry-run --types-out FILE`, then the same with "
        + "`--types FILE --out PATH`"
    case _ where isAboutFile(code.domain):
      let target = (try? WritableFormat.parse(code.domain))?.name ?? JSONFormat.name
      return
        "`kvfsck convert FILE --to \(target) --out NEW` writes a new file with the entries that "
        + "were read"
    case _ where !code.severities.contains(where: { $0 > .note }):
      return "`kvfsck map STORE` shows the bytes, and `kvfsck dump STORE --history` all records"
    default:
      return "`kvfsck repair STORE --dry-run -y` shows what a repair keeps; "
        + "`kvfsck repair STORE --out DIR -y` writes it"
    }
  }

  /// Returns whether findings whose codes begin with `domain` are about a format without a log.
  private static func isAboutFile(_ domain: String) -> Bool {
    Kvfsck.formats[domain].map { !$0.hasLog } ?? false
  }

  private static func command(for format: FormatCatalog.Entry) -> String {
    switch (format.isReadable, format.isWritable) {
    case (true, _) where format.name == SQLiteTableReader.name:
      "`kvfsck dump FILE --table NAME --key-column NAME --value-column NAME`"
    case (true, true): "`kvfsck check FILE`, `kvfsck convert STORE --to \(format.name) --out NEW`"
    case (true, false): "`kvfsck check FILE`, `kvfsck convert FILE --to json --out NEW`"
    case (false, _): "`kvfsck convert STORE --to \(format.name) --out NEW`"
    }
  }
}
