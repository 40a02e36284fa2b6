import FastKVFormat
import Foundation
import KVBytes
import KVCalibration
import KVCryptography
import KVFixtures
import KVModel
import KVRecovery
import KVSystem
import KVTestSupport
import MMKVFormat
import SystemPackage
import Testing

@Suite("Evidence rules")
struct RuleTests {
  private static let all: [any EvidenceRule.Type] =
    LogRules.all + MMKVRules.all + AppleRules.all + AndroidRules.all

  private static let ceilings = Dictionary(
    uniqueKeysWithValues: all.map { ($0.id, $0.ceiling) })

  @Test("say all that there is to say, in a sentence without its end")
  func everyRuleIsWhole() {
    for rule in Self.all {
      for text in [rule.premise, rule.conclusion, rule.failure] {
        #expect(!text.isEmpty && !text.hasSuffix(".") && !text.contains("\n"), "\(rule.id)")
      }
      #expect(rule.id.text.wholeMatch(of: /[a-z-]+\.[a-z]+(-[a-z]+)*/) != nil, "\(rule.id)")
    }
  }

  @Test(
    "never contradict each other, and never claim more than they can know",
    arguments: SimulatedFormat.allCases)
  func rulesAgree(format: SimulatedFormat) {
    let first = RandomSeeds.run
    let calibration = Calibration(seed: first, formats: [format], damage: .heavy)
    var count = 0
    for seed in (0..<120).map({ first &+ $0 }) {
      guard let found = calibration.damagedCase(seed: seed) else { continue }
      for image in [found.image, found.target.image] {
        let problems = Self.problems(image, found.format, now: found.now)
        #expect(problems == [], "seed \(seed): \(found.damages)")
      }
      count += 1
    }
    #expect(count > 60)
  }

  @Test("are all carried by what follows from them, and no name is that no rule has")
  func everyRuleIsCarried() throws {
    var carried: Set<RuleID> = []
    for store in try CorpusCase.mmkv.map({ try $0.open() }) {
      carried.formUnion(Self.rules(of: Diagnosis(of: store, now: 0)))
    }
    for (image, key) in try Self.androidFixtures() {
      carried.formUnion(Self.rules(of: image, AndroidFastKVFormat(key: key), now: 0))
    }
    for (format, damage, seeds) in Self.carriers {
      let calibration = Calibration(seed: 0, formats: [format], damage: damage)
      for seed in seeds {
        guard let found = calibration.damagedCase(seed: seed) else { continue }
        carried.formUnion(Self.rules(of: found.image, found.format, now: found.now))
      }
    }
    #expect(carried.subtracting(Self.ceilings.keys).map(\.text).sorted() == [])
    // Some rules concern only encrypted stores, and others rarely apply to any other store.
    let missing = Set(Self.ceilings.keys).subtracting(carried).subtracting(Self.elsewhere)
    #expect(!Cryptography.isAvailable || missing.map(\.text).sorted() == [])
  }

  @Test("say in a state by what it has its log, where the format chose the copy or the end")
  func choicesOfAFormatAreNamed() throws {
    var named: Set<RuleID> = []
    for (format, damage, seeds) in Self.carriers {
      let calibration = Calibration(seed: 0, formats: [format], damage: damage)
      for found in seeds.compactMap({ calibration.damagedCase(seed: $0) }) {
        let store = found.format.open(found.image.storeFiles()).corrected()
        for state in Diagnosis(of: store, now: found.now).states { named.formUnion(state.rules) }
      }
    }
    for (image, key) in try Self.androidFixtures() {
      let store = AndroidFastKVFormat(key: key).open(image.storeFiles()).corrected()
      for state in Diagnosis(of: store, now: 0).states { named.formUnion(state.rules) }
    }
    let choices: Set<RuleID> = [
      "fastkv-apple.log-end", "fastkv-android.log-end", "fastkv-android.newest-copy",
    ]
    #expect(choices.subtracting(named).map(\.text).sorted() == [])
  }

  /// The formats, kinds of damage and seeds of stores to which rules apply.
  private static let carriers: [(SimulatedFormat, Calibration.DamageChoice, Range<UInt64>)] = [
    (.mmkv, .heavy, 0..<50), (.fastkvApple, .heavy, 0..<50), (.fastkvAndroid, .heavy, 0..<150),
  ]

  /// The rules that need other damage, and have their own tests.
  ///
  /// In this order, the tests are: `CorrectionTests`, `ExchangedBlocksTests`, `LeftoverRecordsTests`,
  /// `EncryptionTests.aTextWithABlockOfNoiseIsAGuess`, `MovedBlocksTests`, `OtherMomentTests`,
  /// `AppleExchangedBlocksTests`, `LengthJudgementTests`, `OutdatedMetaTests`.
  private static let elsewhere: Set<RuleID> = [
    "mmkv.exchanged-key", "mmkv.exchanged-blocks", "mmkv.copied-records", "mmkv.noise-block",
    "mmkv.moved-blocks",
    "mmkv.other-moment", "fastkv-apple.exchanged-blocks", "fastkv-apple.undecided-key",
    "log.outdated-length",
  ]

  /// Returns the stores that the real FastKV for Android wrote, damaged and healthy, each with its
  /// key.
  private static func androidFixtures() throws -> [(DiskImage, [UInt8]?)] {
    struct Case: Decodable {
      let store: String
      let key_hex: String?
    }
    let root = FilePath("\(#filePath)").removingLastComponent().removingLastComponent()
      .removingLastComponent().appending("Fixtures").appending("fastkv-android")
    return try Folder.names(in: root).flatMap { group in
      try Folder.names(in: root.appending(group)).map { name in
        let folder = root.appending(group).appending(name)
        let text = try FileImage.read(folder.appending("case.json")).bytes
        let known = try JSONDecoder().decode(Case.self, from: Data(text))
        let files = try SimulatedFormat.fastkvAndroid.format.storeFiles(
          at: folder.appending(known.store))
        return (DiskImage(files), known.key_hex.flatMap { Hexadecimal.bytes($0) })
      }
    }
  }

  private static func rules(
    of image: DiskImage, _ format: some StoreFormat, now: UInt32
  ) -> Set<RuleID> {
    rules(of: Diagnosis(of: format.open(image.storeFiles()).corrected(), now: now))
  }

  /// Returns the rules named by states, entries and findings.
  private static func rules(of diagnosis: Diagnosis) -> Set<RuleID> {
    let states = diagnosis.states.flatMap { state in
      state.rules + state.snapshot.live.flatMap { state.assessment(of: $0).rules }
    }
    return Set(states + diagnosis.findings.flatMap(\.rules))
  }

  private static func problems(
    _ image: DiskImage, _ format: some StoreFormat, now: UInt32
  ) -> [String] {
    let store = format.open(image.storeFiles()).corrected()
    return Diagnosis(of: store, now: now).states.flatMap { state in
      contradictions(in: state) + overstatements(in: state)
    }
  }

  /// Returns the contradictions between two rules about one state.
  private static func contradictions(in state: StoreState) -> [String] {
    var problems: [String] = []
    var proven: Extent?
    var last: Extent?
    var groundCount = 0
    for conclusion in state.conclusions {
      switch conclusion.claim {
      case .state: groundCount += 1
      case .log(let log):
        if conclusion.evidence >= .corrected {
          if let proven, proven != log { problems.append("two proven ends") }
          proven = log
        }
        if let last, last.file != log.file || last.offset != log.offset {
          problems.append("two logs")
        }
        last = log
      case .gap(let gap):
        for record in state.snapshot.live where gap.extent.overlaps(record.extent) {
          problems.append("a record in a gap")
        }
      case .found(let records):
        for record in records where state.log?.overlaps(record.extent) == true {
          problems.append("a record that is found in the log and elsewhere")
        }
      case .incomplete, .limit, .uncovered, .stale: break
      }
    }
    if groundCount != 1 { problems.append("\(groundCount) grounds") }
    if let last, last != state.log { problems.append("another log than was concluded") }
    return problems
  }

  /// Returns the entries whose evidence exceeds the ceiling of the rules that decided them.
  private static func overstatements(in state: StoreState) -> [String] {
    var problems = state.conclusions.compactMap { conclusion -> String? in
      guard let ceiling = ceilings[conclusion.rule] else {
        return "\(conclusion.rule.text) is not in the catalog"
      }
      return conclusion.evidence > ceiling ? "\(conclusion.rule.text) above its ceiling" : nil
    }
    for record in state.snapshot.live {
      let entry = state.assessment(of: record)
      if entry.evidence != state.evidence(of: record)
        || entry.cautions != state.cautions(of: record)
      {
        problems.append("two answers at \(record.offset)")
      }
      if entry.rules.isEmpty { problems.append("no rule at \(record.offset)") }
      if entry.evidence >= .corrected, !entry.cautions.isEmpty {
        problems.append("verified, and a caution, at \(record.offset)")
      }
      for rule in entry.rules where ceilings[rule].map({ entry.evidence > $0 }) ?? true {
        problems.append("\(rule.text) exceeded at \(record.offset)")
      }
    }
    return problems
  }
}
