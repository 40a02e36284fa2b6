import KVBytes
import KVModel

/// Why the bytes of a value can have a type; the text is made when it is shown.
enum ReadingReason: UInt8 {
  case truthByte, typicalFloat, possibleFloat, unusualFloat
  case typicalDouble, unusualDouble, time
  case varint, negative, topBit
  case emptyText, text, textWithControls, textOfControls, json
  case emptyBytes, bytes, remainder, archive
  case emptyLists, lengthsOfBytes, dividedByChance, textsAlternate, secondLength, emptyElement
  case lengthsLead, unusualNumbers, typicalNumbers, truthBytes, negativeVarints, topBits
  case similarVarints, varints

  /// The text for `candidate`, which is read as `reading` from `body`, a value without expiry whose
  /// content follows its inner length.
  func text(_ candidate: TypeCandidate, _ value: Value, _ body: Span<UInt8>) -> String {
    switch self {
    case .truthByte: "one byte, 00 or 01, as for a Boolean"
    case .typicalFloat: "four bytes with the exponent of a typical number"
    case .possibleFloat: "four bytes fit, with a typical exponent"
    case .unusualFloat: "four bytes fit, but the number is unusual"
    case .typicalDouble: "eight bytes with the exponent of a typical number"
    case .unusualDouble: "eight bytes fit, but the number is unusual"
    case .time: Self.time(candidate, value)
    case .varint: Self.varint(value)
    case .negative:
      "ten bytes, as for a negative number"
        + (Self.isNarrow(value) ? "; int64 gives the same number" : "")
    case .topBit: "ten bytes, if the top bit is not a sign bit"
    case .emptyText: "an inner length of 0, as for an empty text"
    case .text: "the inner length fits, and the rest is printable text"
    case .textWithControls:
      "the inner length fits, and the rest is UTF-8 with a few control characters"
    case .textOfControls:
      "the inner length fits, and the rest is UTF-8, but with many control characters"
    case .json: "the text is a well-formed JSON object or array"
    case .emptyBytes: "an inner length of 0, as for empty bytes"
    case .bytes:
      ContentType(of: body.extracting(ValueParser.content(of: body) ?? 0..<body.count))
        .map { "the inner length fits, and the content is \($0.name)" }
        ?? "the inner length fits; any content is possible"
    case .remainder: Self.remainder(body)
    case .archive: Self.archive(value)
    default: list(candidate)
    }
  }

  /// The text for a type of list.
  private func list(_ candidate: TypeCandidate) -> String {
    switch self {
    case .emptyLists:
      candidate.kind == .stringList ? "an empty list of any type" : "an empty list"
    case .lengthsOfBytes: "each length leads to the next element; not all elements are UTF-8"
    case .dividedByChance: "its characters, read as lengths, divide it exactly"
    case .textsAlternate: "lengths and printable texts alternate to the end"
    case .secondLength: "a second length fits the printable text after it"
    case .emptyElement: "a list with only an empty text"
    case .lengthsLead: "each length leads to the next element"
    case .unusualNumbers: "\(Self.width(candidate)) bytes each fit, but some numbers are unusual"
    case .typicalNumbers: "\(Self.width(candidate)) bytes each, and every number is typical"
    case .truthBytes: "every byte is 00 or 01"
    case .negativeVarints: "whole varints, with ten bytes for each negative number"
    case .topBits: "whole varints, if the top bit is not a sign bit"
    case .similarVarints:
      "whole varints of similar size; other integer types give the same numbers"
    case .varints: "whole varints; other integer types give the same numbers"
    default: ""
    }
  }

  private static func width(_ candidate: TypeCandidate) -> Int {
    candidate.kind == .floatList ? 4 : 8
  }

  private static func isNarrow(_ value: Value) -> Bool {
    guard case .int64(let number) = value else { return true }
    return Int32(exactly: number) != nil
  }

  private static func varint(_ value: Value) -> String {
    let others =
      switch value {
      case .int64(let number) where UInt32(exactly: number) == nil: "uint64 gives"
      case .int64(let number) where Int32(exactly: number) == nil: "uint32 and uint64 give"
      default: "int64, uint32 and uint64 give"
      }
    return "a whole varint; \(others) the same number"
  }

  private static func time(_ candidate: TypeCandidate, _ value: Value) -> String {
    switch (candidate.stored, candidate.unit) {
    case (.date, _):
      let isRecent =
        if case .date(let seconds) = value { EpochUnit.recentSeconds.contains(seconds) } else {
          false
        }
      return "in seconds since 1970, as stored for NSDate, it is a time from "
        + (isRecent ? "2001 to 2039" : "1990 to 2099")
    case (_, .cocoa): return "as \(EpochUnit.cocoa.name), the number is a time from 2011 to 2040"
    case (_, let unit):
      return "as \((unit ?? .seconds).name), the number is a time from 2000 to 2099"
    }
  }

  private static func remainder(_ body: Span<UInt8>) -> String {
    if body.isEmpty { return "empty, which no type is stored as" }
    return body.isUTF8 && body.controlCount == 0
      ? "no type fits; the bytes are printable text without the inner length of a text"
      : "no type fits; these are the bytes as stored"
  }

  private static func archive(_ value: Value) -> String {
    if case .keyedArchive(.some, _) = value {
      return "begins with \"bplist00\" and names the class of an archived object"
    }
    return "begins with \"bplist00\", as archives do, but no class name was found"
  }
}

extension TypeRanking {
  /// Adds a candidate with the reason `reason`.
  mutating func add(
    _ kind: Value.Kind, stored: Value.Kind? = nil, in unit: EpochUnit? = nil,
    _ likelihood: Likelihood, _ reason: ReadingReason
  ) {
    add(TypeCandidate(kind, stored: stored, in: unit, likelihood, reason: reason.rawValue))
  }
}
