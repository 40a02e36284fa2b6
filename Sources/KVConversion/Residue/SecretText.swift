import KVBytes

/// Text that may be, or contain, something that nobody else should read.
struct SecretText {
  private let bytes: ArraySlice<UInt8>

  /// Creates the text of `bytes`, of which the first 64 KiB are looked at.
  init(_ bytes: [UInt8]) { self.bytes = bytes.prefix(64 << 10) }

  /// Returns the kind of the text, if its name has the words of `names`.
  func kind(_ names: SecretNames) -> SecretKind? {
    if contains("PRIVATE KEY-----") { return .privateKey }
    if hasWebToken { return .jwt }
    if hasIssuedToken { return .token }
    if isMnemonic { return .mnemonic }
    if names.isToken, isRandomText(leastCount: 16) { return .token }
    if names.isKey, isEncodedKey { return .key }
    if names.isPassword, isPassword || hasPasswordInURL { return .password }
    if hasPasswordInURL { return .password }
    if hasIBAN { return .iban }
    if hasCard { return .card }
    if hasAddress { return .email }
    if hasPhone(named: names.isPhone) { return .phone }
    return nil
  }

  // MARK: Tokens and keys

  /// The beginnings of tokens by which their issuers find them in public, each with the smallest
  /// number of characters that follow.
  ///
  /// Reference: the issuers' documentation, and the patterns of GitHub's secret scanning.
  private static let issued: [(prefix: [UInt8], count: Int)] = [
    ("ghp_", 36), ("gho_", 36), ("ghu_", 36), ("ghs_", 36), ("github_pat_", 22), ("glpat-", 20),
    ("xoxb-", 20), ("xoxp-", 20), ("xoxa-", 20), ("sk_live_", 16), ("sk_test_", 16),
    ("rk_live_", 16), ("pk_live_", 16), ("AIza", 35), ("ya29.", 20), ("AKIA", 16), ("ASIA", 16),
    ("SG.", 40), ("npm_", 36), ("sk-ant-", 20), ("sk-proj-", 20), ("dop_v1_", 60), ("hf_", 30),
    ("shpat_", 32), ("EAACEdEose0cBA", 10), ("1//0", 40),
  ].map { (Array($0.utf8), $1) }

  private var hasIssuedToken: Bool {
    Self.issued.contains { prefix, count in
      places(of: prefix).contains { start in
        let rest = bytes[(start + prefix.count)...].prefix { Self.isTokenByte($0) }
        return rest.count >= count && !isPart(of: start, Self.isTokenByte)
      }
    }
  }

  /// Whether there are two or three parts in Base64URL, the first of which is a JSON object.
  private var hasWebToken: Bool {
    places(of: Array("eyJ".utf8)).contains { start in
      let word = bytes[start...].prefix { Self.isTokenByte($0) || $0 == UInt8(ascii: ".") }
      let parts = word.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      return parts.count >= 3 && parts[0].count >= 10 && parts[1].count >= 10
        && parts[1].starts(with: "eyJ".utf8)
    }
  }

  /// Whether all of the text is one word of random letters and digits.
  private func isRandomText(leastCount: Int) -> Bool {
    let rest = bytes.starts(with: "Bearer ".utf8) ? bytes.dropFirst(7) : bytes
    guard rest.count >= leastCount, rest.count <= 8192,
      rest.allSatisfy({ Self.isTokenByte($0) || Self.isOneOf("+/=.~:%|", $0) })
    else { return false }
    let digits = rest.count { Self.isDigit($0) }
    return digits > 0 && digits < rest.count && Self.entropy(rest) >= 3
  }

  /// Whether `bytes` have the size of a key, and are as different from each other as random ones are.
  static func isKey(_ bytes: [UInt8]) -> Bool {
    guard [16, 24, 32, 48, 64].contains(bytes.count) else { return false }
    // Of 16 random bytes, 15.5 are different on average, and of 64, 57.
    return Set(bytes).count * 4 >= bytes.count * 3
  }

  private var isEncodedKey: Bool {
    let text = Array(bytes)
    if let key = Hexadecimal.bytes(String(decoding: text, as: UTF8.self)) { return Self.isKey(key) }
    return Base64.bytes(of: FileImage(text)).map { Self.isKey($0) } ?? false
  }

  /// Whether the text has twelve to 24 words as of BIP-39: in lowercase, of three to eight letters.
  private var isMnemonic: Bool {
    guard bytes.count <= 24 * 9 else { return false }
    let words = bytes.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    return [12, 15, 18, 21, 24].contains(words.count)
      && words.allSatisfy { 3...8 ~= $0.count && $0.allSatisfy { 0x61...0x7a ~= $0 } }
  }

  // MARK: Passwords

  private var isPassword: Bool {
    guard 4...128 ~= bytes.count, !bytes.starts(with: "http".utf8) else { return false }
    let text = String(decoding: bytes, as: UTF8.self).lowercased()
    return !["true", "false", "none", "null", "unset", "default"].contains {
      $0.utf8.elementsEqual(text.utf8)
    } && bytes.allSatisfy { $0 >= 0x20 }
  }

  /// Whether a URL has a user and a password, as in `https://user:password@host`.
  private var hasPasswordInURL: Bool {
    places(of: Array("://".utf8)).contains { start in
      let host = bytes[(start + 3)...].prefix { $0 > 0x20 && !Self.isOneOf("/?#\"'<>\\", $0) }
      guard let at = host.lastIndex(of: UInt8(ascii: "@")),
        let colon = host.firstIndex(of: UInt8(ascii: ":"))
      else { return false }
      return colon < at - 1 && colon > host.startIndex
    }
  }

  // MARK: Numbers

  /// The first digits of cards, with the numbers of digits that such cards have.
  ///
  /// Reference: ISO/IEC 7812, and the ranges that the networks publish.
  private static let issuers: [(ClosedRange<Int>, digits: Int, counts: [Int])] = [
    (4...4, 1, [13, 16, 19]), (51...55, 2, [16]), (2221...2720, 4, [16]), (34...34, 2, [15]),
    (37...37, 2, [15]), (6011...6011, 4, [16]), (644...649, 3, [16]), (65...65, 2, [16]),
    (3528...3589, 4, [16]), (300...305, 3, [14]), (36...36, 2, [14]), (38...39, 2, [14]),
    (62...62, 2, [16, 17, 18, 19]),
  ]

  private var hasCard: Bool {
    numbers { Self.isOneOf(" -", $0) }.contains { digits in
      guard 13...19 ~= digits.count, Set(digits).count > 1 else { return false }
      let isIssued = Self.issuers.contains { range, count, counts in
        counts.contains(digits.count)
          && range.contains(digits.prefix(count).reduce(0) { $0 * 10 + Int($1) })
      }
      // The check digit of Luhn.
      let sum = digits.reversed().enumerated().reduce(0) { sum, next in
        let digit = Int(next.element)
        return sum + (next.offset % 2 == 0 ? digit : digit > 4 ? 2 * digit - 9 : 2 * digit)
      }
      return isIssued && sum % 10 == 0
    }
  }

  /// Whether there are two letters, two check digits, and eleven to thirty letters and digits, of
  /// which the number has the remainder 1 by 97.
  private var hasIBAN: Bool {
    words { Self.isDigit($0) || 0x41...0x5a ~= $0 || $0 == 0x20 }.contains { word in
      let text = word.filter { $0 != 0x20 }
      guard 15...34 ~= text.count, text.prefix(2).allSatisfy({ 0x41...0x5a ~= $0 }),
        text.dropFirst(2).prefix(2).allSatisfy(Self.isDigit)
      else { return false }
      let remainder = (text.dropFirst(4) + text.prefix(4)).reduce(0) { value, byte in
        Self.isDigit(byte)
          ? (value * 10 + Int(byte - 0x30)) % 97 : (value * 100 + Int(byte - 0x37)) % 97
      }
      return remainder == 1
    }
  }

  /// Whether there is a `+` and eight to fifteen digits, or, if the name says so, all of the text is
  /// a number of seven to fifteen digits.
  private func hasPhone(named isNamed: Bool) -> Bool {
    func count(_ word: ArraySlice<UInt8>) -> Int { word.count { Self.isDigit($0) } }
    func isSeparator(_ byte: UInt8) -> Bool { Self.isOneOf(" -()./", byte) }
    if isNamed, bytes.allSatisfy({ Self.isDigit($0) || isSeparator($0) || $0 == 0x2b }),
      7...15 ~= count(bytes)
    {
      return true
    }
    return places(of: [UInt8(ascii: "+")]).contains { start in
      let run = bytes[(start + 1)...].prefix { Self.isDigit($0) || isSeparator($0) }
      let word = run[..<(run.lastIndex(where: Self.isDigit).map { $0 + 1 } ?? run.startIndex)]
      return 8...15 ~= count(word) && word.first.map { 0x31...0x39 ~= $0 } ?? false
        && !isPart(of: start, Self.isTokenByte)
        && !(bytes[word.endIndex...].first.map(Self.isTokenByte) ?? false)
    }
  }

  /// Whether there is an address with a domain of letters at its end.
  private var hasAddress: Bool {
    places(of: [UInt8(ascii: "@")]).contains { at in
      let name = bytes[..<at].reversed().prefix { Self.isTokenByte($0) || Self.isOneOf(".+%", $0) }
      let domain = bytes[(at + 1)...].prefix { Self.isTokenByte($0) || $0 == UInt8(ascii: ".") }
      let labels = domain.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      guard !name.isEmpty, labels.count >= 2, let last = labels.last, 2...24 ~= last.count else {
        return false
      }
      return labels.allSatisfy { !$0.isEmpty } && last.allSatisfy { 0x61...0x7a ~= $0 | 0x20 }
    }
  }

  // MARK: Bytes

  private func contains(_ text: String) -> Bool { !places(of: Array(text.utf8)).isEmpty }

  /// Returns where `pattern` is, at most a thousand times.
  private func places(of pattern: [UInt8]) -> [Int] {
    var places: [Int] = []
    guard let first = pattern.first else { return places }
    var rest = bytes
    while places.count < 1000, let start = rest.firstIndex(of: first) {
      rest = rest[(start + 1)...]
      if bytes[start...].starts(with: pattern) { places.append(start) }
    }
    return places
  }

  /// Returns whether the byte before `start` belongs to the same word.
  private func isPart(of start: Int, _ isInside: (UInt8) -> Bool) -> Bool {
    start > bytes.startIndex && isInside(bytes[start - 1])
  }

  /// Returns the longest parts of which all bytes are `inside`.
  private func words(_ isInside: (UInt8) -> Bool) -> [ArraySlice<UInt8>] {
    bytes.split { !isInside($0) }
  }

  /// Returns the digits of each number, in which `isSeparator` may stand between two of them; a number
  /// in a word of letters is none.
  private func numbers(_ isSeparator: (UInt8) -> Bool) -> [[UInt8]] {
    var numbers: [[UInt8]] = []
    var digits: [UInt8] = []
    var isInWord = false
    var last: UInt8 = 0
    for byte in bytes + [0] {
      if Self.isDigit(byte) {
        if digits.isEmpty { isInWord = Self.isLetter(last) || Self.isOneOf("._+", last) }
        digits.append(byte - 0x30)
      } else if !(isSeparator(byte) && Self.isDigit(last)) {
        if !digits.isEmpty, !isInWord, !Self.isLetter(byte), byte != UInt8(ascii: "_") {
          numbers.append(digits)
        }
        digits = []
      }
      last = byte
    }
    return numbers
  }

  private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
  private static func isLetter(_ byte: UInt8) -> Bool { 0x61...0x7a ~= byte | 0x20 }
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    isDigit(byte) || isLetter(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
  }
  private static func isOneOf(_ text: String, _ byte: UInt8) -> Bool { text.utf8.contains(byte) }

  /// Returns the entropy of `bytes`, in bits a byte.
  private static func entropy(_ bytes: ArraySlice<UInt8>) -> Double {
    var counts = [Int](repeating: 0, count: 256)
    for byte in bytes { counts[Int(byte)] += 1 }
    return counts.reduce(0) { sum, count in
      let share = Double(count) / Double(bytes.count)
      return count == 0 ? sum : sum - share * Logarithm.base2(share)
    }
  }
}
