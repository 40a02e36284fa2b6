import ExchangeFormats
import KVBytes
import KVCryptography
import KVModel

/// The parts of a line of an evidence log that link it to the others.
struct EvidenceLine {
  /// The digits of the hash before the first line.
  static let noHash = String(repeating: "0", count: 64)

  /// What the line is about.
  let type: String
  /// The number of the line.
  let number: Int
  /// The digits of the hash of the line before this one.
  let previous: String
  /// The number of the first line of the run.
  let run: Int
  /// In a line about a torn one, the digits of the hash of the line before that.
  let whole: String?

  /// Reads a line without its line feed; `nil` if it is none of a log.
  init?(parsing line: [UInt8]) {
    var scanner = JSONScanner(line)
    guard let value = try? scanner.value(), (try? scanner.end()) != nil,
      scanner.takeObstacle() == nil, scanner.duplicates.isEmpty,
      case .dictionary(let members) = value
    else { return nil }
    func member(_ name: String) -> Value? {
      members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }
    guard case .string(let type)? = member("type"),
      case .string(let previous)? = member("previous"),
      case .int64(let number)? = member("seq"), case .int64(let run)? = member("run")
    else { return nil }
    self.type = type
    self.previous = previous
    self.number = Int(number)
    self.run = Int(run)
    whole = if case .string(let text)? = member("whole") { text } else { nil }
  }

  /// Whether the line says that the one before it is torn.
  var isAboutTorn: Bool { type == "torn" }

  /// Returns the digits of the hash of `line`, which has no line feed.
  static func hash(of line: some Collection<UInt8>) -> String {
    Hexadecimal.text(Cryptography.sha256(Array(line)) ?? [])
  }
}
