public import SystemPackage

/// Something that is wrong with a store, or worth knowing about it, and the bytes that show it.
public struct Finding: Hashable, Sendable {
  /// How serious a finding is.
  public enum Severity: String, Hashable, Sendable, Comparable {
    /// Worth knowing; nothing is wrong.
    case note
    /// Nothing is lost, but the app may not behave as it should.
    case warning
    /// Data is lost, or will be lost when the app opens the store.
    case damage

    private var rank: Int {
      switch self {
      case .note: 0
      case .warning: 1
      case .damage: 2
      }
    }

    /// Returns whether `first` is less serious than `second`: a note is less than a warning.
    public static func < (first: Severity, second: Severity) -> Bool { first.rank < second.rank }
  }

  /// The kind of finding.
  package let kind: FindingCode
  /// The stable name of the kind of finding, such as `mmkv.checksum-mismatch`; `Docs/FINDINGS.md`
  /// lists all of them.
  public var code: String { kind.name }
  /// How serious the finding is.
  public let severity: Severity
  /// The bytes that show the finding; `nil` if no bytes do, as for a missing file.
  public let extent: Extent?
  /// The file that the finding is about; `nil` if it is about the store as a whole.
  package let file: FileIndex?
  /// The path of that file, for a finding about a whole file; `nil` for a finding at an extent.
  public let path: FilePath?
  /// The evidence rules that the finding follows from.
  package private(set) var rules: [RuleID]
  /// The finding in words, for people; the wording may change.
  public private(set) var message: String
  /// The odds of the correction that the finding names, or `nil` if it names none.
  public let odds: CoincidenceOdds?

  /// Whether content of an undamaged file was not read, such as a value of a key that occurs twice,
  /// or digits of a number.
  public let losesContent: Bool

  /// Creates a finding at `extent`; the severity can be omitted if `kind` has only one.
  ///
  /// - Precondition: `kind` can have the severity.
  package init(
    _ kind: FindingCode, _ severity: Severity? = nil, at extent: Extent?, _ message: String,
    odds: CoincidenceOdds? = nil, losesContent: Bool = false
  ) {
    self.kind = kind
    self.severity = kind.severity(severity)
    rules = kind.rules
    self.extent = extent
    file = extent?.index
    path = nil
    self.message = message
    self.odds = odds
    self.losesContent = losesContent
  }

  /// Returns the same finding, with advice on what can be done about it.
  package func adding(_ advice: String) -> Finding {
    var finding = self
    finding.message += advice
    return finding
  }

  /// Returns the same finding in other words.
  package func saying(_ message: String) -> Finding {
    var finding = self
    finding.message = message
    return finding
  }

  /// Returns the same finding, marked as also following from `rules`.
  package func following(from rules: [RuleID]) -> Finding {
    var finding = self
    for rule in rules where !finding.rules.contains(rule) { finding.rules.append(rule) }
    return finding
  }

  /// Creates a finding about a whole file; the severity can be omitted if `kind` has only one.
  ///
  /// - Precondition: `kind` can have the severity.
  package init(
    _ kind: FindingCode, _ severity: Severity? = nil, in file: StoreFile, _ message: String
  ) {
    self.kind = kind
    self.severity = kind.severity(severity)
    rules = kind.rules
    extent = nil
    self.file = file.index
    path = file.path
    self.message = message
    odds = nil
    losesContent = false
  }
}

/// Whether a store is damaged, and whether that has cost entries.
public enum Verdict: String, Hashable, Sendable {
  /// No finding has the severity ``Finding/Severity/damage``.
  case clean
  /// Something is damaged, but a checksum matches over the log that is kept or over each record, and
  /// nothing shows that an entry was lost or changed.
  case repairable
  /// Entries are lost or changed, or nothing shows that none are.
  case damaged
  /// No record can be read: the key is missing or wrong, or this is not a store.
  case unreadable
}

extension EntryTable {
  /// Why nothing can be read without a key, which no format without a log takes; `nil` if it can.
  package var reasonForNoEntries: String? {
    findings.first { $0.severity == .damage && $0.kind.cause == .encryption }?.message
  }

  /// The verdict on a file of a format without a log: unreadable if it is encrypted, damaged if a
  /// finding has that severity, otherwise clean.
  package var verdict: Verdict {
    if reasonForNoEntries != nil { return .unreadable }
    return findings.contains { $0.severity == .damage } ? .damaged : .clean
  }
}
