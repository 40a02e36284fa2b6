import KVBytes
import KVConversion
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

/// How many values of stores as apps have them are taken for what they were.
struct AppStoreTests {
  @Test(
    "Of the values of random stores, 95 of 100 are taken for what they were, and few for others",
    arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func typesAreFound(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var (total, right, undecided) = (0, 0, 0)
    for _ in 0..<20 {
      let store = AppStore(using: &random)
      let found = try store.converted()
      #expect(found.count == store.values.count)
      for (key, value) in store.values {
        total += 1
        if found[key]?.isSame(as: value) == true { right += 1 }
        if found[key]?.kind == .raw { undecided += 1 }
      }
    }
    #expect(right * 100 >= total * 95, "seed \(seed): \(right) of \(total)")
    #expect((total - right - undecided) * 100 <= total * 4, "seed \(seed): \(undecided) undecided")
  }
}

/// A store of an app that plays music: what it sets, and what its keys have in the end.
private struct AppStore {
  /// The last value of each key; integers as the narrowest type that has all of the key's.
  private(set) var values: [String: Value] = [:]
  private var builder = MMKVFixtureBuilder()

  private static let words = ["tempo", "Blues", "Grüße", "夜曲", "radio", "live at home", "b-side"]

  /// A key, of which `#` becomes a number, and a value that it has after `turn` others.
  private typealias Setting = (
    key: String,
    value: @Sendable (_ turn: Int, _ random: inout SeededGenerator) -> Value
  )

  private static func pick(_ texts: [String], _ random: inout SeededGenerator) -> String {
    texts[Int.random(in: texts.indices, using: &random)]
  }

  private static let settings: [Setting] = [
    ("player.shuffle_enabled", { _, random in .bool(Bool.random(using: &random)) }),
    ("player.isMuted", { _, random in .bool(Bool.random(using: &random)) }),
    ("ui.hasSeenIntro", { _, random in .bool(Bool.random(using: &random)) }),
    ("offlineOnly", { _, random in .bool(Bool.random(using: &random)) }),
    ("show_lyrics", { _, random in .bool(Bool.random(using: &random)) }),
    ("explicit", { _, random in .bool(Bool.random(using: &random)) }),
    ("album.#.liked", { _, random in .bool(Bool.random(using: &random)) }),
    ("play_count", { turn, random in .int32(Int32(turn + .random(in: 0...40, using: &random))) }),
    ("equalizer.preset", { _, random in .int32(.random(in: 0...11, using: &random)) }),
    ("album.#.plays", { turn, random in .int32(Int32(turn + .random(in: 0...9, using: &random))) }),
    ("crossfade_ms", { _, random in .int32(.random(in: 0...12_000, using: &random)) }),
    ("balance", { _, random in .int32(.random(in: -50...50, using: &random)) }),
    (
      "lastSync",
      { _, random in .int64(.random(in: 1_700_000_000_000...1_760_000_000_000, using: &random)) }
    ),
    ("gain", { _, random in .float(Float(Int.random(in: -20...20, using: &random)) / 10 + 0.05) }),
    ("speed", { _, random in .double(Double(Int.random(in: 5...20, using: &random)) / 10) }),
    ("seek", { _, random in .double(.random(in: 0...600, using: &random)) }),
    ("stream.url", { _, random in .string("https://cdn.example/\(random.next())?q=1") }),
    ("session", { _, random in .string(String(random.next(), radix: 36)) }),
    ("deviceId", { _, random in .string(String(random.next(), radix: 16)) }),
    (
      "locale", { _, random in .string(pick(["de", "en_GB", "zh-Hans"], &random)) }
    ),
    ("profile", { _, random in .string(#"{"plan":"free","level":\#(random.next() % 9)}"#) }),
    ("album.#.title", { _, random in .string(pick(words, &random)) }),
    ("pin", { _, random in .string(String(random.next() % 10_000)) }),
    ("note", { _, random in .string(Int.random(in: 0...5, using: &random) == 0 ? "" : "hm, ok") }),
    ("queue", { _, random in .list(.string(words.shuffled(using: &random).dropLast(3))) }),
    (
      "waveform",
      { _, random in .bytes((0..<24).map { _ in UInt8.random(in: 0...255, using: &random) }) }
    ),
  ]

  /// A store in which most settings are set, some of them several times.
  init(using random: inout SeededGenerator) {
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      for setting in Self.settings where Int.random(in: 0...2, using: &random) > 0 {
        let count = setting.key.contains("#") ? Int.random(in: 1...4, using: &random) : 1
        for number in 0..<count {
          let key = setting.key.replacing("#", with: "\(number * 37 + 11)")
          let value = setting.value(values[key] == nil ? 0 : 1, &random)
          builder.put(key, Self.bytes(of: value))
          values[key] = value
        }
      }
    }
  }

  /// What a conversion without options makes of the values, integers of 32 bits as they are.
  func converted() throws -> [String: Value] {
    let store = MMKVFormat(now: 0).open(builder.files()).corrected()
    let diagnosis = Diagnosis(of: store, now: 0)
    let plan = try #require(RepairPlanner(strategy: .recover).plan(store, given: diagnosis))
    var found: [String: Value] = [:]
    try TypedSource(store, diagnosis, plan).forEachEntry { (entry, _) throws(ConversionError) in
      found[entry.key.text ?? ""] = entry.value
    }
    return found
  }

  /// The bytes of `value`, by the page of the format.
  private static func bytes(of value: Value) -> [UInt8] {
    func counted(_ bytes: [UInt8]) -> [UInt8] {
      MMKVFixtureBuilder.varint(UInt64(bytes.count)) + bytes
    }
    return switch value {
    case .bool(let bool): [bool ? 1 : 0]
    case .int32(let number): MMKVFixtureBuilder.varint(UInt64(bitPattern: Int64(number)))
    case .int64(let number): MMKVFixtureBuilder.varint(UInt64(bitPattern: number))
    case .float(let number): MMKVFixtureBuilder.little(number.bitPattern)
    case .double(let number): MMKVFixtureBuilder.little(number.bitPattern)
    case .string(let text): counted(Array(text.utf8))
    case .bytes(let bytes): counted(bytes)
    case .list(.string(let texts)): counted(texts.flatMap { counted(Array($0.utf8)) })
    default: []
    }
  }
}
