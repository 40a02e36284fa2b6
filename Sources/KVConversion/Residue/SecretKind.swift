import KVBytes
package import KVModel

/// What a value is that nobody else should read.
package enum SecretKind: String, CaseIterable, Sendable {
  /// A private key in PEM.
  case privateKey = "private-key"
  /// A JSON Web Token.
  case jwt
  /// A token for a service: one with the prefix of a known issuer, or random text that its name calls
  /// a token.
  case token
  /// The words from which a wallet's keys are derived.
  case mnemonic
  /// Bytes, or their hexadecimal or Base64, that their name calls a key.
  case key
  /// A value that its name calls a password, or the password in a URL.
  case password
  /// The number of a payment card, with a right check digit.
  case card
  /// An IBAN with right check digits.
  case iban
  /// An e-mail address.
  case email
  /// A phone number.
  case phone

  /// Returns the kind of `value`, or of what its documents contain; the name of `key` may tell.
  ///
  /// - Complexity: O(size of the value), of which the first 64 KiB are looked at.
  package init?(of value: Value, named key: Key, opening content: (Value) -> ValueContent?) {
    let names = SecretNames(key)
    if let kind = Self.kind(of: value, names) {
      self = kind
      return
    }
    guard let kind = content(value).flatMap({ Self.kind(in: $0.members, names) }) else {
      return nil
    }
    self = kind
  }

  /// Returns the kind of text in bytes of no value.
  package init?(inBytes bytes: [UInt8]) {
    guard let kind = SecretText(bytes).kind(SecretNames(Key([]))) else { return nil }
    self = kind
  }

  private static func kind(of value: Value, _ names: SecretNames) -> SecretKind? {
    switch value {
    case .string(let text), .json(let text): SecretText(Array(text.utf8)).kind(names)
    case .bytes(let bytes), .raw(let bytes):
      names.isKey && SecretText.isKey(bytes) ? .key : SecretText(bytes).kind(names)
    case .int32, .uint32, .int64, .uint64:
      // A PIN, or a card without separators.
      value.plainJSON.flatMap { SecretText(Array($0.utf8)).kind(names) }
    case .list(.string(let texts)): kind(of: texts, names)
    case .set(let texts): kind(of: texts.compactMap(\.self), names)
    case .bool, .float, .double, .date, .keyedArchive, .list, .array, .dictionary, .object, .null:
      nil
    }
  }

  private static func kind(of texts: [String], _ names: SecretNames) -> SecretKind? {
    texts.lazy.compactMap { SecretText(Array($0.utf8)).kind(names) }.first
  }

  private static func kind(
    in members: [ValueContent.Member], _ outer: SecretNames
  ) -> SecretKind? {
    for member in members {
      let names = member.name.map { SecretNames(Key(Array($0.utf8))) } ?? outer
      if case .value(let reading) = member.content, let kind = kind(of: reading.value, names) {
        return kind
      }
      if let kind = kind(in: member.parts, names)
        ?? member.document.flatMap({ kind(in: $0.members, names) })
      {
        return kind
      }
    }
    return nil
  }
}

/// What the words of a name say of a value.
struct SecretNames {
  /// Whether the value is a token.
  let isToken: Bool
  /// Whether it is a cryptographic key.
  let isKey: Bool
  /// Whether it is a password.
  let isPassword: Bool
  /// Whether it is a phone number.
  let isPhone: Bool

  private static let tokens = NameHints.set(
    """
    token tokens auth oauth session sessionid sid secret credential credentials cookie cookies bearer \
    apikey jwt accesstoken refreshtoken authtoken csrf xsrf nonce
    """)
  private static let keys = NameHints.set(
    "key keys secret aes cipher encryption privatekey secretkey masterkey seed hmac")
  private static let passwords = NameHints.set(
    "password passwd pwd pass passcode passphrase pin pincode secret")
  private static let phones = NameHints.set("phone mobile msisdn tel telephone cell phonenumber")

  /// Creates what the name of `key` says.
  init(_ key: Key) {
    let words = KeyName.words(of: key.bytes)
    func has(_ names: Set<ByteText>) -> Bool { words.contains { names.contains($0) } }
    // `api_key` is a token.
    isToken =
      has(Self.tokens)
      || zip(words, words.dropFirst()).contains {
        $0 == ByteText("api") && $1 == ByteText("key")
      }
    (isKey, isPassword, isPhone) = (has(Self.keys), has(Self.passwords), has(Self.phones))
  }
}
