import KVBytes
package import KVModel
package import SystemPackage

/// The outcome of a scan for one store.
package struct StoreOutcome: Sendable {
  /// The file that names the store.
  package let path: FilePath
  /// The format's name; `nil` if the files could not be read.
  package let formatName: String?
  /// The verdict; `nil` if the files could not be read.
  package let verdict: Verdict?
  /// The number of entries in the best state.
  package let entries: EntryCount
  /// The number of entries in the best state that the app will not have after its next launch;
  /// `nil` if that is unknown.
  ///
  /// The app is assumed to answer as its engine does by default.
  package let lost: EntryCount?
  /// The number of entries that the app will lose or has lost, but that a repair or an earlier
  /// state contains.
  package let recoverable: EntryCount
  /// The records that are not live; `nil` for a format without a log, and if they could not be
  /// read.
  package private(set) var past: PastRecords?
  /// Whether nothing is damaged, but the store was emptied and its former contents can be
  /// recovered.
  package let isEmptied: Bool
  /// Whether the store has a log, which a repair works on.
  package let hasLog: Bool
  /// The codes of the findings, the worst first, each once.
  package let codes: [String]
  /// The reason why the files could not be read; `nil` if they were read.
  package let error: String?
  /// Whether nothing was read: no format tells what it is that could not be.
  package var isUnread: Bool { error != nil && formatName == nil }
  /// Whether there is nothing to read because the file has 0 bytes, although its format requires
  /// some.
  package let isEmptyFile: Bool
  /// The files of the store.
  package let files: [FilePath]
  /// The app that the store belongs to; `nil` if nothing tells it.
  package var app: String?

  /// Creates the outcome for a store with a log.
  package init<S: Store>(_ store: S, _ diagnosis: Diagnosis, at path: FilePath) {
    self.path = path
    formatName = store.formatName
    verdict = diagnosis.verdict
    entries = diagnosis.entries
    lost = diagnosis.lost
    recoverable = diagnosis.recoverable
    past = diagnosis.past
    isEmptied = diagnosis.isEmptied
    hasLog = true
    codes = Self.codes(of: diagnosis.findings)
    error = nil
    isEmptyFile = false
    files = store.files.map(\.path)
  }

  /// Creates the outcome for a store that needs no diagnosis; its data file is at `path`.
  package init(_ store: IntactStore, formatName: String, at path: FilePath) {
    self.path = path
    self.formatName = formatName
    verdict = .clean
    entries = EntryCount(entries: store.entryCount)
    lost = EntryCount()
    recoverable = EntryCount()
    past = store.past
    isEmptied = false
    hasLog = true
    codes = store.codes.map(\.name)
    error = nil
    isEmptyFile = false
    files = store.paths
  }

  /// Creates the outcome for a file of a format without a log.
  package init(_ table: EntryTable, at path: FilePath) {
    self.path = path
    formatName = table.formatName
    verdict = table.verdict
    entries = EntryCount(table.entries.prefix(table.indexedCount).lazy.map(\.origin.evidence))
    lost = table.lostCount.map { EntryCount(entries: $0) }
    recoverable = EntryCount(entries: table.recoverableCount)
    past = nil
    isEmptied = table.isEmptied
    hasLog = false
    codes = Self.codes(of: table.findings)
    error = nil
    isEmptyFile = false
    files = table.files.map(\.path)
  }

  /// Creates the outcome for a file of a format without a log that has no bytes other than zeros,
  /// although the format requires some.
  package init(withoutContent table: EntryTable, at path: FilePath) {
    self.path = path
    formatName = table.formatName
    verdict = .unreadable
    entries = EntryCount()
    lost = nil
    recoverable = EntryCount()
    past = nil
    isEmptied = false
    hasLog = false
    codes = Self.codes(of: table.findings)
    isEmptyFile = table.files.allSatisfy { $0.image.count == 0 }
    error = isEmptyFile ? "the file has 0 bytes" : "the file contains only zeros"
    files = table.files.map(\.path)
  }

  /// Creates the outcome for a path that could not be read; `error` is the reason, for people.
  package init(unreadAt path: FilePath, because error: String) {
    self.path = path
    formatName = nil
    verdict = nil
    entries = EntryCount()
    lost = nil
    recoverable = EntryCount()
    past = nil
    isEmptied = false
    hasLog = false
    codes = []
    self.error = error
    isEmptyFile = false
    files = []
  }

  /// Returns the outcome with the count of the former entries of a format without a log; `nil` if they
  /// were not looked for.
  package func counting(_ past: [PastRecord]?) -> StoreOutcome {
    guard let past else { return self }
    var outcome = self
    outcome.past = PastRecords(past)
    return outcome
  }

  private static func codes(of findings: [Finding]) -> [String] {
    var seen: Set<String> = []
    return findings.map(\.code).filter { seen.insert($0).inserted }
  }
}
