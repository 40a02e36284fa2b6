import ArgumentParser
import ExchangeFormats
import KVBytes
import KVConversion
import KVInput
import KVModel
import KVRecovery
import KVReport
import KVSystem

/// `kvfsck get`: prints the value of one key.
struct Get: ParsableCommand, OpensStores {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Print the value of one key.",
    discussion: """
      MMKV stores no types: get prints the likeliest value, the one that `dump` shows first. Prints text \
      as it is, data in hexadecimal and lists as JSON. A note about an unverified value goes to stderr. Exit \
      status: 0 printed, 4 printed from a damaged store, 8 no such key, or unreadable.
      """)

  @OptionGroup var options: StoreOptions
  @OptionGroup(title: "Options for Damaged Stores") var choices: ChoiceOptions

  @Flag(help: "Print only the bytes of the value, as the record stores them.")
  var raw = false

  @Flag(help: "Also print the content of the value if it is a document, at any depth.")
  var full = false

  @Flag(help: "Print what the probability of the entry results from, too.")
  var why = false

  @OptionGroup var readings: ReadingOptions
  @OptionGroup var typing: TypeOptions

  @Argument(help: ArgumentHelp("The store.", valueName: "store"), completion: .file())
  var store: String

  @Argument(
    help: ArgumentHelp(
      "The key; for a key that is not text, 0x and its bytes in hexadecimal.", valueName: "key"))
  var name: String

  func validate() throws {
    try options.validate(stores: [store])
    if why, raw || choices.likeEngine {
      throw ValidationError("--why cannot be combined with --raw or --like-engine.")
    }
    if raw, full { throw ValidationError("Give either --raw or --full.") }
    if raw, options.printing.json { throw ValidationError("Give either --raw or --json.") }
    if readings.readings != nil, !options.printing.json {
      throw ValidationError("get prints one reading; --readings needs --json.")
    }
  }

  func run() throws {
    options.warnOfVisibleKey()
    let report = Reports(
      options, .get,
      values: ValueDetail(readings: readings.readings, isWhole: full, opening: true))
    let (schema, failure) = typing.schema(report)
    guard let schema else { throw report.end(failure) }
    let status = StoreOpening.open(
      store, options, report,
      table: { table in
        if let option = choices.optionAboutLog {
          return StoreOpening.refuse(option, store, table, report)
        }
        typing.noteUnmatched(schema, in: [.table(table)])
        return get(choices.kept(table, now: options.clock), report)
      },
      { found in get(found.open(), schema, report) })
    throw report.end(status)
  }

  private func get(
    _ opened: some Store, _ schema: TypeSchema, _ report: Reports
  ) -> ExitStatus {
    let now = options.clock
    let (store, diagnosis) = choices.examined(opened, now: now)
    var planner = choices.planner(now: now, otherwise: .recover)
    planner.explainsProbabilities = why
    guard let plan = planner.plan(store, given: diagnosis) else {
      if case .unreadable(let code, let reason) = store.access {
        report.complain("\(self.store): \(reason)" + Advice(options: options).access(code))
      } else if let state = choices.state {
        report.complain(StoreOpening.lacking(state, self.store))
      } else {
        report.complain("\(self.store): no entries can be read; see kvfsck check")
      }
      return .failed
    }
    typing.noteUnmatched(schema, in: [.store(store, diagnosis, plan)])
    let index = index(in: plan.kept) { entry, key in store.hasKey(key, entry.record) }
    guard let index else {
      return absent(among: plan.kept.lazy.map { store.key(of: $0.record) }, report)
    }
    let entry = plan.kept[index]
    if raw {
      if let failure = writeRaw(store.value(of: entry.record), report) { return failure }
    } else {
      let state = diagnosis.state(plan.state) ?? diagnosis.best
      report(.opened(store, clock: now))
      let key = store.key(of: entry.record)
      report(.typed(StoreTyping(of: store, by: state, schema: schema, for: key)))
      report(.entries([entry]))
    }
    if entry.evidence != .checksum || !entry.cautions.isEmpty {
      let labels = [entry.evidence.rawValue] + entry.cautions.map(\.rawValue)
      Output.note(
        "the entry's evidence is \(labels.joined(separator: ", "))"
          + (entry.probability.map { "; it is right with probability \($0.text)" } ?? ""))
    }
    return diagnosis.verdict.exitStatus
  }

  private func get(_ table: EntryTable, _ report: Reports) -> ExitStatus {
    if let reason = table.reasonForNoEntries {
      report.complain("\(store): \(reason)")
      return .failed
    }
    // The keys of an archive are those of its objects, and also those that the file has.
    let entries = (table.entries + (ArchivedEntries.resolved(table)?.entries ?? []))
    guard let index = index(in: entries, where: { $0.key == $1 }) else {
      return absent(among: entries.map(\.key), report)
    }
    let entry = entries[index]
    if raw {
      guard let bytes = Self.bytes(of: entry) else {
        report.complain(
          "\(store): the format \(table.formatName) stores the value of \"\(name)\" as "
            + "\(entry.value.kind), not as bytes; leave out --raw to print it")
        return .failed
      }
      if let failure = writeRaw(bytes, report) { return failure }
    } else {
      report(.read(table, clock: options.clock))
      report(.typedEntry(entry))
    }
    return TableStatus(of: table).verdict.exitStatus
  }

  /// Writes the bytes of the value as they are, unless a terminal would obey some of them.
  ///
  /// - Returns: The status, after a message, if they were not written.
  private func writeRaw(_ bytes: [UInt8], _ report: Reports) -> ExitStatus? {
    if Terminal.isInteractive(.output), !TextReporter.isPrintable(bytes) {
      report.complain(
        "the bytes of the value are not plain text, and a terminal could obey some of them; write "
          + "them to a file with > FILE, or view them with | xxd")
      return .failed
    }
    report.output.write(bytes: bytes)
    return nil
  }

  /// Returns the bytes of an entry of a format without a log: those of the record that it comes
  /// from, or a value that is bytes; `nil` if there are none.
  private static func bytes(of entry: TypedEntry) -> [UInt8]? {
    if let bytes = entry.origin.raw { return bytes }
    switch entry.value {
    case .bytes(let bytes), .raw(let bytes): return bytes
    default: return nil
    }
  }

  // MARK: Finding the key

  /// Returns the last index of the entry with the key: by its text, or else by the bytes that it
  /// spells.
  private func index<Entry>(
    in entries: [Entry], where hasKey: (Entry, Key) -> Bool
  ) -> Int? {
    let text = Key(ProcessArguments.bytes(of: name))
    if let index = entries.lastIndex(where: { hasKey($0, text) }) { return index }
    guard name.hasPrefix("0x"), let bytes = Hexadecimal.bytes(String(name.dropFirst(2))) else {
      return nil
    }
    let key = Key(bytes)
    return entries.lastIndex { hasKey($0, key) }
  }

  /// The number of keys that are searched for a similar one.
  private static let nearestLimit = 1 << 14

  /// The largest number of characters of a key that a message includes.
  private static let shownCount = 100

  /// Returns `key` in quotation marks, shortened if it is long.
  private static func shown(_ key: String) -> String {
    let start = key.unicodeScalars.prefix(shownCount)
    return "\"\(String(start))\(start.endIndex < key.unicodeScalars.endIndex ? "…" : "")\""
  }

  /// Reports that the key does not exist, and the nearest one.
  private func absent(among keys: some Collection<Key>, _ report: Reports) -> ExitStatus {
    var message = "\(store): no entry has the key \(Self.shown(name))"
    let names = keys.prefix(Self.nearestLimit).compactMap(\.text)
    if let nearest = NearestName.of(name, among: names) {
      message += ". The nearest of \(keys.count) is \(Self.shown(nearest))"
      // A shell has no way to pass some characters, and none is told from what stands for it here.
      if TextReporter.printable(nearest) != nearest, nearest.utf8.count <= Self.shownCount {
        message += ", which can be given as 0x\(Hexadecimal.text(nearest.utf8))"
      }
    }
    report.complain(message)
    return .failed
  }
}
