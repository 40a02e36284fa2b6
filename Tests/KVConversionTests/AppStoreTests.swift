import KVBytes
import KVConversion
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

/// How many values of realistic app stores are converted to their original types.
struct AppStoreTests {
  @Test(
    "Of the values of random stores, 93 of 100 are taken for what they were, and few for others",
    arguments: AppStore.apps.indices)
  func typesAreFound(app: Int) throws {
    let seed = RandomSeeds.run
    var random = SeededGenerator(seed: seed)
    var (total, right, undecided) = (0, 0, 0)
    // Of 1,000 times 30 stores of the shop, 94.6% of the values were right and 4.4% wrong, with
    // standard deviations of 0.8%. Those of 400 stores are 0.2%, so that chance does not decide.
    for _ in 0..<400 {
      let store = AppStore(of: AppStore.apps[app], using: &random)
      let found = try store.converted()
      #expect(found.count == store.values.count)
      for (key, value) in store.values {
        total += 1
        if found[key]?.isSame(as: value) == true { right += 1 }
        if found[key]?.kind == .raw { undecided += 1 }
      }
    }
    #expect(right * 100 >= total * 93, "seed \(seed): \(right) of \(total)")
    #expect((total - right - undecided) * 100 <= total * 6, "seed \(seed): \(undecided) undecided")
  }
}

/// A store of an app, with the expected value of each key.
private struct AppStore {
  /// The last value of each key.
  ///
  /// Integers have the narrowest type that fits all values of the key.
  private(set) var values: [String: Value] = [:]
  private var builder = MMKVFixtureBuilder()

  private static let words = ["tempo", "Blues", "Grüße", "夜曲", "radio", "live at home", "b-side"]

  /// A key in which `#` is replaced with a number, and a function that draws its value.
  ///
  /// `turn` is 0 for the first value of the key, and 1 for later ones.
  fileprivate typealias Setting = (
    key: String,
    value: @Sendable (_ turn: Int, _ random: inout SeededGenerator) -> Value
  )

  private static func pick(_ texts: [String], _ random: inout SeededGenerator) -> String {
    texts[Int.random(in: texts.indices, using: &random)]
  }

  /// Apps with different naming conventions.
  static let apps: [[Setting]] = [music, shop, chat]

  /// A music player, whose keys are lowercase words joined by dots.
  private static let music: [Setting] = [
    ("player.shuffle_enabled", { _, random in flag(&random) }),
    ("player.isMuted", { _, random in flag(&random) }),
    ("ui.hasSeenIntro", { _, random in flag(&random) }),
    ("offlineOnly", { _, random in flag(&random) }),
    ("show_lyrics", { _, random in flag(&random) }),
    ("explicit", { _, random in flag(&random) }),
    ("album.#.liked", { _, random in flag(&random) }),
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

  /// A Boolean, which is true as often as those in 1,297 settings files of public apps.
  private static func flag(_ random: inout SeededGenerator) -> Value {
    .bool(Int.random(in: 0..<100, using: &random) < 63)
  }

  private static func number(
    _ range: ClosedRange<Int32>, _ random: inout SeededGenerator
  ) -> Value { .int32(.random(in: range, using: &random)) }

  private static func milliseconds(_ random: inout SeededGenerator) -> Value {
    .int64(.random(in: 1_700_000_000_000...1_760_000_000_000, using: &random))
  }

  /// A shop, whose keys are uppercase words with a prefix.
  private static let shop: [Setting] = [
    ("KEY_FIRST_LAUNCH", { _, random in flag(&random) }),
    ("KEY_PRIVACY_AGREED", { _, random in flag(&random) }),
    ("KEY_PUSH_SWITCH", { _, random in flag(&random) }),
    ("KEY_SHOW_ITEM_COUNT", { _, random in flag(&random) }),
    ("KEY_WIFI_ONLY", { _, random in flag(&random) }),
    ("KEY_ASK_BEFORE_PAY", { _, random in flag(&random) }),
    ("KEY_SKIP_COUNT", { turn, random in number(0...4, &random) }),
    ("KEY_LOGIN_TYPE", { _, random in number(0...3, &random) }),
    ("KEY_VERSION_CODE", { _, random in number(1...900, &random) }),
    ("KEY_CART_SIZE", { _, random in number(0...20, &random) }),
    ("KEY_LAST_CHECK_TIME", { _, random in milliseconds(&random) }),
    ("KEY_TOKEN", { _, random in .string(String(random.next(), radix: 36)) }),
    ("KEY_PHONE", { _, random in .string(String(random.next() % 100_000_000)) }),
    ("KEY_CITY", { _, random in .string(pick(["", "Köln", "上海", "Oslo"], &random)) }),
    ("KEY_USER_INFO", { _, random in .string(#"{"id":\#(random.next() % 999),"vip":false}"#) }),
    ("KEY_RECENTS", { _, random in .list(.string(words.shuffled(using: &random).dropLast(5))) }),
    ("KEY_ITEM_#_PRICE", { _, random in .double(Double(random.next() % 10_000) / 100) }),
    ("KEY_ITEM_#_STARS", { _, random in number(0...5, &random) }),
  ]

  /// A messenger, whose keys are in camel case.
  ///
  /// Keys that belong to a chat contain its number.
  private static let chat: [Setting] = [
    ("isLoggedIn", { _, random in flag(&random) }),
    ("hasUnreadMentions", { _, random in flag(&random) }),
    ("typingIndicatorEnabled", { _, random in flag(&random) }),
    ("hideOnlineStatus", { _, random in flag(&random) }),
    ("vibrateInSilentMode", { _, random in flag(&random) }),
    ("autoDownloadPhotos", { _, random in flag(&random) }),
    ("appLaunchCount", { turn, random in number(1...60, &random) }),
    ("selectedTabIndex", { _, random in number(0...4, &random) }),
    ("fontSize", { _, random in number(10...24, &random) }),
    ("lastSyncTimestamp", { _, random in milliseconds(&random) }),
    ("accessToken", { _, random in .string(String(random.next(), radix: 16)) }),
    ("avatarUrl", { _, random in .string("https://example.org/\(random.next() % 999).png") }),
    ("nickname", { _, random in .string(pick(words, &random)) }),
    ("language", { _, random in .string(pick(["de", "en", "pt-BR"], &random)) }),
    ("volumeLevel", { _, random in .float(Float(random.next() % 100) / 100 + 0.005) }),
    ("blockedUserIds", { _, random in .list(.string(words.shuffled(using: &random).dropLast(4))) }),
    ("chat_#_muted", { _, random in flag(&random) }),
    ("chat_#_unreadCount", { _, random in number(0...30, &random) }),
    ("chat_#_draft", { _, random in .string(pick(["", "hm", "see you"], &random)) }),
    ("chat_#_pinned", { _, random in flag(&random) }),
  ]

  /// Creates a store in which most settings are set, some of them several times.
  init(of settings: [Setting], using random: inout SeededGenerator) {
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      for setting in settings where Int.random(in: 0...2, using: &random) > 0 {
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

  /// Returns the values after a conversion without options.
  ///
  /// Integers of 32 bits stay as they are.
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

  /// Returns the bytes of `value`, as the page of the format describes them.
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
