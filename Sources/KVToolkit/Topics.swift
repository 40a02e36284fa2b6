import KVModel
import KVRecovery

/// Topics that people ask about, besides findings and rules.
///
/// `kvfsck help` and `kvfsck explain` print these pages, and tests generate tables in `Docs` from
/// the same texts.
package enum Topics {
  /// A name and its meaning.
  package struct Term: Sendable {
    /// The name.
    package let name: String
    /// What it means.
    package let meaning: String
  }

  /// The exit statuses, which have the meanings of fsck(8).
  package static let exitStatuses = [
    Term(name: "0", meaning: "clean"),
    Term(name: "1", meaning: "damage was found and repaired"),
    Term(name: "4", meaning: "damage remains, or a store differs from `--expect`"),
    Term(
      name: "8",
      meaning: "could not run: unreadable, wrong key, no store or state, cannot write"),
    Term(name: "16", meaning: "wrong usage, or a question and no terminal"),
    Term(name: "32", meaning: "cancelled"),
  ]

  /// The verdicts on a store, as `check` and `scan` print them.
  private static let verdicts = [
    Term(
      name: Verdict.clean.rawValue,
      meaning: "nothing is damaged: no finding has the severity `damage`. Exit status 0"),
    Term(
      name: "emptied",
      meaning:
        "nothing is damaged, but the app or its library has emptied the store, and former entries can be recovered, as the state `before-reset`. Exit status 0"
    ),
    Term(
      name: Verdict.repairable.rawValue,
      meaning:
        "something is damaged, but a checksum matches over the log that is kept or over each record, perhaps after a correction, and nothing shows that an entry was lost or changed. Exit status 4"
    ),
    Term(
      name: Verdict.damaged.rawValue,
      meaning:
        "entries are lost or changed, or nothing proves that they are not: a repair keeps what can be read. Exit status 4"
    ),
    Term(
      name: Verdict.unreadable.rawValue,
      meaning:
        "no entry can be read: it needs a key, the key is wrong, or the file is not a store of the format. Exit status 8"
    ),
  ]

  /// What `scan` prints instead of a verdict about a file that it could not read.
  private static let notRead = (
    "not read",
    "`scan` could not open or recognize the file; its line has the reason. Exit status 8"
  )

  /// Returns the page about an exit status, which may be the OR of several; `nil` if kvfsck does
  /// not use one of its bits.
  package static func page(ofStatus status: Int32) -> Explanations.Page? {
    let parts = exitStatuses.compactMap { term in Int32(term.name).map { (bit: $0, term: term) } }
    let known = parts.reduce(0) { $0 | $1.bit }
    guard status >= 0, status & ~known == 0 else { return nil }
    let own = parts.filter { status == 0 ? $0.bit == 0 : $0.bit != 0 && status & $0.bit != 0 }
    return page(
      "\(status)", "exit status",
      own.map { ($0.term.name, $0.term.meaning) } + [("More", "`man kvfsck`")])
  }

  /// The kinds of evidence, the best first.
  private static var evidence: [Term] {
    Evidence.allCases.reversed().map { Term(name: $0.rawValue, meaning: $0.meaning) }
  }

  /// The faults that nothing in the files rules out.
  private static var cautions: [Term] {
    Caution.allCases.map { Term(name: $0.rawValue, meaning: $0.meaning) }
  }

  private static let keys = [
    Term(
      name: "One store",
      meaning:
        "`--key-file FILE`: the whole content of the file is the key, so the file must not end in a line feed unless the key does. `-` means standard input"
    ),
    Term(
      name: "Without options",
      meaning: "the key is in the file named by the environment variable KVFSCK_KEY_FILE"),
    Term(
      name: "On the command line",
      meaning:
        "`--key TEXT` or `--key-hex HEX`; other users of the machine can see it in the list of processes"
    ),
    Term(
      name: "Many stores",
      meaning:
        "`--keys FILE`: one line per store, `PATTERN = KEY` or `ID = KEY`. A key is text, `hex:` and digits, or `file:` and a name. The first line that matches a store is used"
    ),
    Term(
      name: "AES key size",
      meaning:
        "128, or 256 with `--aes256`. Without that option, keys of many stores, and any key of a scan, are tried in both sizes"
    ),
    Term(
      name: "A wrong key",
      meaning:
        "no entries, and exit status 8. The same applies to a key that an MMKV store does not need. If that key comes from `--keys`, or the store has another format, it is read without the key, with a note"
    ),
    Term(name: "More", meaning: "`kvfsck help check`, `man kvfsck`"),
  ]

  /// How to copy stores from a device; `Docs/DEVICE.md` says more.
  private static let device = [
    Term(
      name: "First",
      meaning:
        "stop the app with all its processes, and do not start it before the copy is done. Copy whole folders: a store can be several files, such as `user` and `user.crc`, or a database and its `-wal`"
    ),
    Term(name: "Android", meaning: "`adb shell am force-stop PKG` stops the app"),
    Term(
      name: "Debuggable app",
      meaning: "`adb exec-out 'run-as PKG tar -c . 2>/dev/null' > app.tar`"),
    Term(name: "With root", meaning: "`adb root && adb pull /data/user/0/PKG app`"),
    Term(
      name: "Backup",
      meaning:
        "`adb backup -f app.ab PKG`, without a password. For apps made for Android 12 or newer, it has data only if they are debuggable"
    ),
    Term(
      name: "iOS simulator",
      meaning:
        "`xcrun simctl terminate booted BUNDLE` stops the app. `xcrun simctl get_app_container booted BUNDLE data` prints its folder"
    ),
    Term(
      name: "Development app",
      meaning: "in Xcode, Window > Devices and Simulators, the app, Download Container"),
    Term(
      name: "Other iOS apps",
      meaning:
        "`idevicebackup2 backup backups`. It has no `Library/Caches`, and must not be encrypted"
    ),
    Term(
      name: "To be sure",
      meaning: "copy twice: if both copies are equal, the files are like that on the device"),
    Term(
      name: "More",
      meaning: "`kvfsck scan COPY` finds all stores. DEVICE.md, with the sources of kvfsck"),
  ]

  /// The conditions and the questions behind the probability of an entry.
  private static var probability: [Term] {
    [
      Term(
        name: "What it is",
        meaning:
          "the probability that the key had exactly these stored bytes in the last state that the app had stored before the damage, or in the one that its operation in flight would have made. It is the product of three: that there was such a record, that its bytes are unchanged, and that no newer record of its key is missing"
      ),
      Term(
        name: "In bits",
        meaning:
          "for each of the three, a base and the weights of the answers below and of the evidence rules are added; a sum of s is the probability 1 / (1 + 2^-s). `kvfsck explain` has a page for each rule"
      ),
    ]
      + Witness.allCases.map {
        Term(name: $0.name, meaning: "\($0.question): \($0.answers.joined(separator: "; "))")
      }
  }

  // MARK: Pages

  /// Returns a page for each topic, followed by one for each verdict, state, kind of evidence and
  /// caution.
  static func pages(_ catalog: FormatCatalog) -> [Explanations.Page] {
    topics(catalog)
      + verdicts.map { page($0.name, "verdict", [("Means", $0.meaning)]) }
      + StateName.allCases.map {
        page(
          $0.rawValue, "state",
          [
            ("What it is", $0.explanation.log), ("When it exists", $0.explanation.condition),
            ("To use it", "name the state to `repair` or `dump`"),
          ])
      }
      + evidence.map { page($0.name, "evidence", [("Means", $0.meaning)]) }
      + cautions.map { page($0.name, "caution", [("Means", $0.meaning)]) }
  }

  private static func topics(_ catalog: FormatCatalog) -> [Explanations.Page] {
    [
      page(
        "verdicts", "topic",
        verdicts.map { ($0.name, $0.meaning) } + [notRead, ("More", "`kvfsck help check`")]),
      page(
        "states", "topic",
        StateName.allCases.map { ($0.rawValue, $0.explanation.log) }
          + [("More", "`kvfsck explain NAME` for each")]),
      page(
        "evidence", "topic",
        (evidence + cautions).map { ($0.name, $0.meaning) }
          + [("More", "`kvfsck explain NAME` for each")]),
      page(
        "exit-status", "topic",
        exitStatuses.map { ($0.name, $0.meaning) }
          + [
            ("Several stores", "the bitwise OR over all of them"),
            ("More", "`man kvfsck`"),
          ]),
      page("probability", "topic", probability.map { ($0.name, $0.meaning) }),
      page("keys", "topic", keys.map { ($0.name, $0.meaning) }),
      page("device", "topic", device.map { ($0.name, $0.meaning) }),
      page(
        "formats", "topic",
        catalog.entries.map { ($0.name, uses(of: $0)) } + [
          ("More", "`kvfsck explain NAME` for each")
        ]),
    ]
  }

  private static func page(
    _ name: String, _ kind: String, _ paragraphs: [(title: String, text: String)]
  ) -> Explanations.Page {
    Explanations.Page(name: name, kind: kind, paragraphs: paragraphs)
  }

  /// Returns what can be done with files of a format.
  static func uses(of format: FormatCatalog.Entry) -> String {
    if format.hasLog {
      return "stores with a log: checked, read, repaired, compared"
        + (format.isWritable ? ", written by convert" : "")
    }
    switch (format.isReadable, format.isWritable) {
    case (true, true): return "read, and written by convert"
    case (true, false): return "read"
    case (false, _): return "written by convert"
    }
  }
}

extension StateName {
  /// The log of the state, and the condition under which files hold evidence for it.
  fileprivate var explanation: (log: String, condition: String) {
    switch self {
    case .current:
      (
        "the log with the length that the engine uses: \"as the app sees it\" if the engine will load exactly that, else \"by its recorded length\"",
        "always; it has no entries if that length is larger than the file"
      )
    case .confirmed:
      (
        "the log as the last full rewrite left it",
        "in MMKV with meta version 3 or more, if the last confirmed checksum matches and there are records"
      )
    case .appended:
      (
        "the log of `current`, and the whole records after it, which may be newer",
        "if the current state is sound, and the rule `log.newer-tail` applies. A repair keeps it only if it is named"
      )
    case .salvaged:
      ("the best recoverable state", "if the current state is not sound")
    case .beforeReset:
      (
        "the entries before the app or its engine emptied the store",
        "if the rule `log.before-reset` applies; what the new log overwrote is missing"
      )
    }
  }
}

extension Evidence {
  fileprivate var meaning: String {
    switch self {
    case .checksum:
      "a stored checksum matches over the log (or over the record, if each has its own), and all of it decodes"
    case .corrected:
      "the same after a correction with coincidence odds of 1 in 2^\(CoincidenceOdds.correctedBits) or lower, which a finding `….corrected` names"
    case .structure:
      "no checksum verifies the entry. No gap is before it, or it is at least the third record after the last gap, and the records lead to a known end of the log"
    case .guess:
      "the start of the record was found by resynchronizing after a gap, or a rule says that the record may be incomplete"
    }
  }
}

extension Caution {
  fileprivate var meaning: String {
    switch self {
    case .mayBeDamaged:
      "the value may have changed or be read wrongly: no checksum that matches covers the record. Or a correction is likely but not proven, or other values contradict the flag for expiry times"
    case .mayBeStale:
      "a newer record of the key may be lost, in a gap, after a truncated end, in a damaged part, or in another copy. Or the stored checksum may be of an earlier state"
    }
  }
}
