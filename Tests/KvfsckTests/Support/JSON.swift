import Foundation
import Testing

/// A JSON value.
///
/// Integers are kept exactly.
enum JSON: Hashable, Sendable, Decodable {
  case null
  case bool(Bool)
  case integer(Int)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // Frequent types are tried first, because a failed attempt is slow.
    if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode(Int.self) {
      self = .integer(value)
    } else if let value = try? container.decode([String: JSON].self) {
      self = .object(value)
    } else if let value = try? container.decode([JSON].self) {
      self = .array(value)
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if container.decodeNil() {
      self = .null
    } else {
      self = .number(try container.decode(Double.self))
    }
  }

  /// Parses `text`.
  init(parsing text: some StringProtocol) throws {
    self = try JSONDecoder().decode(JSON.self, from: Data(text.utf8))
  }

  /// Returns the member called `name` of an object, or `nil` if there is none.
  subscript(name: String) -> JSON? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  var string: String? { if case .string(let value) = self { value } else { nil } }
  var integer: Int? { if case .integer(let value) = self { value } else { nil } }
  var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }
  var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  var array: [JSON]? { if case .array(let value) = self { value } else { nil } }
  var object: [String: JSON]? { if case .object(let value) = self { value } else { nil } }
}

extension Outcome {
  /// Returns the objects of a JSON report, one for each line.
  func objects() throws -> [JSON] { try lines.map { try JSON(parsing: $0) } }

  /// Returns the objects of the type `type`.
  func objects(_ type: String) throws -> [JSON] {
    try objects().filter { $0["type"]?.string == type }
  }

  /// Returns the verdicts of a scan, by the bytes of the paths after `prefix`, with which all of
  /// them must start.
  ///
  /// Two spellings of an accent are equal strings, but different names.
  func verdicts(after prefix: String) throws -> [[UInt8]: String] {
    var verdicts: [[UInt8]: String] = [:]
    for line in try objects("result") {
      let path = try #require(line["path"]?.string)
      #expect(path.utf8.starts(with: prefix.utf8), "\(path)")
      let earlier = verdicts.updateValue(
        line["verdict"]?.string ?? "\(line)",
        forKey: Array(path.utf8.dropFirst(prefix.utf8.count)))
      #expect(earlier == nil, "\(path) is there twice")
    }
    return verdicts
  }
}
