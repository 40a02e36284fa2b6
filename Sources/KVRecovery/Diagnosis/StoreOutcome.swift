package import KVModel
package import SystemPackage

/// What a scan reports about one store.
package struct StoreOutcome: Sendable {
  /// The file that names the store.
  package let path: FilePath
  /// The format's name; `nil` where the files could not be read.
  package let formatName: String?
  /// How the store is; `nil` where its files could not be read.
  package let verdict: Verdict?
  /// How many entries it holds, by the best state.
  package let entryCount: Int
  /// How many of them the app will not have after its next launch, if it answers as its library does by
  /// default; `nil` where nothing is known of that.
  package let lostCount: Int?
  /// How many entries a repair or an earlier state gives beyond those that the app will have.
  package let recoverableCount: Int
  /// Whether nothing is damaged, but the store was emptied, and what it held can be had.
  package let isEmptied: Bool
  /// What is remarkable, the worst first: each code once.
  package let codes: [String]
  /// Why the files could not be read.
  package let error: String?
  /// The files of the store.
  package let files: [FilePath]

  /// The outcome for a store with a log.
  package init<S: Store>(_ store: S, _ diagnosis: Diagnosis, at path: FilePath) {
    self.path = path
    formatName = store.formatName
    verdict = diagnosis.verdict
    entryCount = diagnosis.best?.snapshot.live.count ?? 0
    lostCount = diagnosis.predictions.first { $0.answer == .discard }?.lostKeys.count
    recoverableCount = diagnosis.recoverableCount(of: store)
    isEmptied = diagnosis.isEmptied(store)
    codes = Self.codes(of: diagnosis.findings)
    error = nil
    files = store.files.map(\.path)
  }

  /// The outcome for a file of a format without a log.
  package init(_ table: EntryTable, at path: FilePath) {
    self.path = path
    formatName = table.formatName
    verdict = table.verdict
    entryCount = table.entries.count
    lostCount = nil
    recoverableCount = 0
    isEmptied = false
    codes = Self.codes(of: table.findings)
    error = nil
    files = table.files.map(\.path)
  }

  /// The outcome for a path that could not be read, for a reason that people can read.
  package init(unreadAt path: FilePath, because error: String) {
    self.path = path
    formatName = nil
    verdict = nil
    entryCount = 0
    lostCount = nil
    recoverableCount = 0
    isEmptied = false
    codes = []
    self.error = error
    files = []
  }

  private static func codes(of findings: [Finding]) -> [String] {
    var seen: Set<String> = []
    return findings.map(\.code).filter { seen.insert($0).inserted }
  }
}
