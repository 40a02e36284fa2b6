import KVBytes
import KVConversion
import KVFixtures
import KVModel
import KVTestSupport
import Testing

/// Telling secrets from other values, on random ones.
struct SecretKindTests {
  private static func kind(_ key: String, _ value: Value) -> SecretKind? {
    SecretKind(of: value, named: Key(Array(key.utf8))) { _ in nil }
  }

  @Test(arguments: SecretKind.allCases)
  func secretsAreRecognized(_ kind: SecretKind) {
    var found = 0
    let seeds = RandomSeeds.fresh(500)
    for seed in seeds {
      var random = RandomSecret(seed: seed)
      let (key, value) = random.secret(kind)
      let answer = Self.kind(key, value)
      found += answer == kind ? 1 : 0
      if answer != kind {
        print("\(kind.rawValue) seed \(seed): \(answer?.rawValue ?? "none") \(key) \(value)")
      }
    }
    // 98% are wanted; what falls short is chance in random tokens and keys.
    #expect(found * 100 >= seeds.count * 98)
  }

  @Test func otherValuesAreNone() {
    var wrong = 0
    let seeds = RandomSeeds.fresh(4000)
    for seed in seeds {
      var random = RandomSecret(seed: seed)
      let (key, value) = random.other()
      guard let kind = Self.kind(key, value) else { continue }
      wrong += 1
      print("seed \(seed): \(kind.rawValue) \(key) \(value)")
    }
    // Six standard deviations above a half of the 1% that is wanted.
    #expect(wrong * 100 <= seeds.count * 1 + 600)
  }

  @Test func secretsWithinTextAreFound() {
    #expect(Self.kind("note", .string("write to mia@example.org today")) == .email)
    #expect(Self.kind("c", .json(#"{"card":"4111 1111 1111 1111"}"#)) == .card)
    #expect(Self.kind("log", .string("paid from DE89 3704 0044 0532 0130 00.")) == .iban)
    #expect(Self.kind("x", .string("call +49 30 901820 now")) == .phone)
    #expect(Self.kind("x", .string("sftp://mia:secret@example.org/a")) == .password)
    #expect(Self.kind("pinned", .string("true story")) == nil)
    #expect(Self.kind("site", .string("https://example.org:8080/@mia")) == nil)
    #expect(Self.kind("id", .string("4111111111111112")) == nil)
    #expect(SecretKind(inBytes: [1, 2] + Array("mia@example.org".utf8) + [0]) == .email)
  }
}

/// Random secrets, and values that look like some of them.
private struct RandomSecret {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  private mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }

  private mutating func text(_ count: Int, of alphabet: String) -> String {
    let characters = Array(alphabet)
    return String((0..<count).map { _ in characters[number(0...characters.count - 1)] })
  }

  private mutating func one(of texts: [String]) -> String { texts[number(0...texts.count - 1)] }

  private static let letters = "abcdefghijklmnopqrstuvwxyz"
  private static let token = letters + letters.uppercased() + "0123456789-_"
  private static let hexadecimal = "0123456789abcdef"

  private mutating func word() -> String { text(number(3...8), of: Self.letters) }

  private mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  /// Returns digits that end with the check digit of Luhn.
  private mutating func card() -> String {
    let prefix = one(of: ["4", "51", "55", "2221", "34", "37", "6011", "3530"])
    let digits = Array(
      (prefix
        + text(
          (prefix.hasPrefix("3") && prefix.count == 2 ? 14 : 15) - prefix.count, of: "0123456789"))
        .utf8.map { Int($0) - 48 })
    let sum = digits.reversed().enumerated().reduce(0) { sum, next in
      sum + (next.offset % 2 == 1 ? next.element : (2 * next.element) / 10 + 2 * next.element % 10)
    }
    return digits.map(String.init).joined() + String((10 - sum % 10) % 10)
  }

  /// Returns an account number with its check digits.
  private mutating func iban() -> String {
    let account = text(18, of: "0123456789")
    // D is 13 and E is 14.
    let remainder = (account + "131400").utf8.reduce(0) { ($0 * 10 + Int($1) - 48) % 97 }
    let check = 98 - remainder
    return "DE" + (check < 10 ? "0" : "") + String(check) + account
  }

  mutating func secret(_ kind: SecretKind) -> (key: String, value: Value) {
    switch kind {
    case .privateKey:
      return (word(), .string("-----BEGIN RSA PRIVATE KEY-----\n\(Base64.text(bytes(200)))\n"))
    case .jwt:
      let parts = [#"{"alg":"HS256","typ":"JWT"}"#, #"{"sub":"\#(word())"}"#].map {
        String(Base64.text(Array($0.utf8)).prefix { $0 != "=" })
      }
      return (word(), .string(parts.joined(separator: ".") + "." + text(43, of: Self.token)))
    case .token:
      let random = text(number(24...64), of: number(0...1) == 0 ? Self.token : Self.hexadecimal)
      return (
        one(of: ["accessToken", "auth_token", "session.id.token", "refresh-token"]), .string(random)
      )
    case .mnemonic:
      let count = one(of: ["12", "15", "18", "21", "24"])
      return (word(), .string((0..<(Int(count) ?? 12)).map { _ in word() }.joined(separator: " ")))
    case .key:
      let key = bytes(16 << number(0...2))
      let name = one(of: ["encryptionKey", "db_key", "aes.key", "masterKey"])
      return (name, number(0...1) == 0 ? .bytes(key) : .string(Base64.text(key)))
    case .password:
      let name = one(of: ["password", "user_passwd", "wifiPassword", "pin", "passcode"])
      return (name, .string(text(number(4...20), of: Self.token + "!?$ ")))
    case .card:
      let digits = card()
      return (word(), .string(number(0...1) == 0 ? digits : "nr. " + digits))
    case .iban: return (word(), .string(iban()))
    case .email:
      return (word(), .string("\(word()).\(word())@\(word()).\(one(of: ["com", "org", "de"]))"))
    case .phone:
      return (word(), .string("+\(number(1...9))" + text(number(8...12), of: "0123456789")))
    }
  }

  /// Returns a value that is no secret.
  mutating func other() -> (key: String, value: Value) {
    switch number(0...13) {
    case 0:
      let parts = [8, 4, 4, 4, 12].map { text($0, of: Self.hexadecimal) }
      return (one(of: ["deviceId", "install_uuid"]), .string(parts.joined(separator: "-")))
    case 1: return ("etag", .string(text(32, of: Self.hexadecimal)))
    case 2:
      return ("url", .string("https://\(word()).example.org/\(word())?\(word())=\(number(1...99))"))
    case 3: return ("lastSeen", .int64(Int64(1_700_000_000_000 + number(0...99_999_999_999))))
    case 4:
      return ("title", .string((0..<number(1...11)).map { _ in word() }.joined(separator: " ")))
    case 5: return ("thumbnail", .string(Base64.text(bytes(number(40...400)))))
    case 6: return ("version", .string("\(number(1...9)).\(number(0...99)).\(number(0...999))"))
    case 7:
      return ("config", .json(#"{"\#(word())":\#(number(0...9999)),"\#(word())":"\#(word())"}"#))
    case 8: return ("userId", .int64(Int64(number(1...9_999_999_999))))
    case 9: return ("path", .string("/data/user/0/com.\(word()).\(word())/files/\(word()).db"))
    case 10: return ("blob", .bytes(bytes(number(1...200))))
    case 11: return ("color", .string("#\(text(6, of: Self.hexadecimal))"))
    case 12: return ("amount", .string("\(number(1...99_999)).\(number(10...99)) EUR"))
    default: return ("keyboardLayout", .string(word()))
    }
  }
}
