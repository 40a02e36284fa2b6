import KVBytes
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

/// Random damage.
///
/// Every message has the seed that determines it.
@Suite struct RandomDamageTests {
  /// A store, and every value that its keys have had.
  private struct Original {
    var builder = MMKVFixtureBuilder()
    var truth: [Key: [UInt8]] = [:]
    var history: [Key: [[UInt8]]] = [:]

    init(using random: inout SeededGenerator, key: MMKVKey?) {
      builder.key = key
      builder.vector = random.bytes(16)
      let count = Int.random(in: 5...60, using: &random)
      let confirmedAt = Int.random(in: 0..<count, using: &random)
      for index in 0..<count {
        let name = "key \(random.next() % 20)"
        let key = Key(Array(name.utf8))
        if index > 0, random.next() % 8 == 0 {
          builder.remove(name)
          truth[key] = nil
        } else {
          let value = Encoder.encode(.random(using: &random))
          builder.put(name, value)
          truth[key] = value
          history[key, default: []].append(value)
        }
        if index == confirmedAt, random.next() % 2 == 0 {
          let payload = builder.storedPayload
          builder.confirmed = (UInt32(payload.count), MMKVFixtureBuilder.crc32(payload))
        }
      }
      let stale = random.bytes(Int.random(in: 0...60, using: &random))
      if random.next() % 3 == 0 { builder.slack = stale }
    }
  }

  /// A store with one to three kinds of random damage.
  private struct Damaged {
    let original: Original
    let store: MMKVStore
    /// The seed, and a description of the damage.
    let place: String

    init(seed: UInt64) {
      var random = SeededGenerator(seed: seed)
      #if Encryption
        let key = seed % 3 == 0 ? MMKVKey([1, 2, 3], isAES256: seed % 2 == 0) : nil
      #else
        let key: MMKVKey? = nil
      #endif
      original = Original(using: &random, key: key)
      var (data, meta) = (original.builder.data, original.builder.meta)
      let used = 4 + original.builder.payload.count + 16
      var done: [String] = []
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        if random.next() % 4 == 0 {
          done.append("meta: " + Damaged.damage(&meta, within: 112, using: &random))
        } else {
          done.append("data: " + Damaged.damage(&data, within: used, using: &random))
        }
      }
      store = MMKVFormat(key: key, now: 1000).open(
        MMKVFixtureBuilder.files(data: data, meta: meta)
      ).corrected()
      place = "seed \(seed): \(done.joined(separator: ", "))"
    }

    /// Damages `bytes` in one of the ways in which files are damaged.
    private static func damage(
      _ bytes: inout [UInt8], within limit: Int, using random: inout SeededGenerator
    ) -> String {
      if bytes.isEmpty { return "nothing left" }
      let end = min(limit, bytes.count)
      let start = Int.random(in: 0..<end, using: &random)
      let run = start..<min(bytes.count, start + Int.random(in: 1...64, using: &random))
      switch random.next() % 5 {
      case 0:
        bytes[start] ^= 1 << UInt8(random.next() % 8)
        return "flip at \(start)"
      case 1:
        bytes.replaceSubrange(run, with: random.bytes(run.count))
        return "noise at \(run)"
      case 2:
        bytes.replaceSubrange(run, with: [UInt8](repeating: 0, count: run.count))
        return "zeros at \(run)"
      case 3:
        bytes.removeSubrange(run)
        return "\(run) taken out"
      default:
        bytes.removeSubrange(start...)
        return "cut at \(start)"
      }
    }
  }

  /// Tests 1,200 stores in eight parts that run in parallel.
  ///
  /// A partial run uses two of the parts.
  ///
  /// If a checksum is said to verify an entry, its value must be right. If nothing verifies an
  /// entry and its value is wrong, the entry must be marked as possibly damaged.
  @Test(arguments: TestExtent.share(2, of: 0..<8))
  func nothingWrongIsVerified(part: UInt64) {
    let seeds = part * 150..<(part + 1) * 150
    var counts = Counts()
    for seed in seeds {
      let example = Damaged(seed: seed)
      counts.add(example.store, example.original, example.place)
    }
    print("MMKV, seeds \(seeds): \(counts.text)")
    #expect(counts.wrong.checksum == 0 && counts.wrong.corrected == 0)
    #expect(counts.problems.isEmpty, "\(counts.problems)")
  }

  /// Tests that almost no wrong entry is presented as sound, with new seeds.
  ///
  /// Of 100,000 stores with one or two kinds of damage, 16 show a wrong entry as sound. See
  /// `Docs/MEASUREMENTS.md`.
  @Test func ofNewSeedsNextToNothingWrongIsVerified() {
    let seeds = RandomSeeds.fresh(TestExtent.count(150, of: 1200))
    var counts = Counts()
    for seed in seeds {
      let example = Damaged(seed: seed)
      counts.add(example.store, example.original, example.place)
    }
    print("MMKV, \(seeds.count) seeds from \(seeds[0]): \(counts.text) \(counts.problems)")
    #expect(Set(counts.problems.map(\.place)).count <= 2, "\(counts.problems)")
  }

  /// The numbers of right and wrong entries of recovered stores, by their evidence.
  private struct Counts {
    struct ByEvidence {
      var checksum = 0
      var corrected = 0
      var structure = 0
      var guess = 0

      mutating func add(_ evidence: Evidence) {
        switch evidence {
        case .checksum: checksum += 1
        case .corrected: corrected += 1
        case .structure: structure += 1
        case .guess: guess += 1
        }
      }

      var text: String { "\(checksum) / \(corrected) / \(structure) / \(guess)" }
    }

    var right = ByEvidence()
    var wrong = ByEvidence()
    /// The wrong entries that are presented as sound.
    var problems: [(entry: String, place: String)] = []

    var text: String {
      "by checksum, correction, structure and guess right \(right.text), wrong \(wrong.text)"
    }

    mutating func add(_ store: MMKVStore, _ original: Original, _ place: String) {
      let diagnosis = Diagnosis(of: store, now: 1000)
      guard let plan = RepairPlanner(strategy: .recover).plan(store, given: diagnosis) else {
        return
      }
      for entry in plan.kept {
        let (key, value) = (store.key(of: entry.record), store.value(of: entry.record))
        if original.truth[key] == value {
          right.add(entry.evidence)
          continue
        }
        wrong.add(entry.evidence)
        if entry.evidence > .structure || entry.evidence == .structure && entry.cautions.isEmpty {
          problems.append(("\(key.text ?? "") by \(entry.evidence), \(plan.state)", place))
        }
      }
    }
  }

  /// Tests that reading keeps its guarantees whatever the damage.
  ///
  /// Every verified value must once have been stored.
  @Test func damagedStoresAreReadWithoutInventingProof() {
    for seed in UInt64(0)..<150 {
      let example = Damaged(seed: seed)
      let (store, original, place) = (example.store, example.original, example.place)
      let diagnosis = expectSound(store, now: 1000, place)
      for (answer, strategy) in FixedStrategy.both {
        guard let plan = RepairPlanner(strategy: strategy).plan(store, given: diagnosis) else {
          continue
        }
        for entry in plan.kept where entry.evidence == .checksum {
          let (key, value) = (store.key(of: entry.record), store.value(of: entry.record))
          // An older state that a checksum verifies may be all that is left. A value must then be
          // one that its key once had.
          if original.history[key]?.contains(value) != true {
            Issue.record("\(key.text ?? "") never had that value (\(answer), \(place))")
          } else if answer == .recover, original.truth[key] != value {
            Issue.record("\(key.text ?? "") had that value and has it no more (\(place))")
          }
        }
      }
    }
  }

  @Test(
    arguments: [(true, true), (true, false), (false, true), (true, nil), (nil, true)]
      as [(Bool?, Bool?)])
  func noiseIsSurvived(_ isNoiseInData: Bool?, _ isNoiseInMeta: Bool?) {
    let whole = SmallStore.builder
    for seed in UInt64(0)..<40 {
      var random = SeededGenerator(seed: seed)
      let count = [0, 3, 4, 5, 100, 4096, 5000][Int(random.next() % 7)]
      let data = isNoiseInData.map { $0 ? random.bytes(count) : whole.data }
      let meta = isNoiseInMeta.map {
        $0 ? random.bytes([7, 112, 4096][Int(random.next() % 3)]) : whole.meta
      }
      let store = MMKVFormat(now: 1000).open(MMKVFixtureBuilder.files(data: data, meta: meta))
        .corrected()
      let diagnosis = expectSound(store, now: 1000, "seed \(seed)")
      if isNoiseInData == true { #expect(diagnosis.verdict != .clean, "seed \(seed)") }
    }
  }
}
