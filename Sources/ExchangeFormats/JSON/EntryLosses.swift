import KVModel

/// What the JSON object of an entry states that the entry does not have, although it can be read: a
/// field that is repeated, and digits of a number.
///
/// `JSONDecoder` reports neither.
struct EntryLosses {
  /// A loss, and where it is in the object.
  struct Loss {
    let code: FindingCode
    let offset: Int
    let reason: String
  }

  /// The losses, in the order of the object.
  let all: [Loss]

  /// Compares the object in `bytes` with the value that was decoded from it.
  init(in bytes: [UInt8], readAs value: Value) {
    var scanner = JSONScanner(bytes)
    guard case .dictionary(let fields)? = try? scanner.value() else {
      all = []
      return
    }
    var losses = scanner.duplicates.map {
      Loss(
        code: JSONFindings.duplicateKey, offset: $0.offset,
        reason: "the field \(Value.mentioned($0.name)) occurs more than once; only one is used")
    }
    losses += scanner.roundings.map {
      Loss(code: JSONFindings.numberRounded, offset: $0.offset, reason: $0.reason)
    }
    // Of a repeated field, the decoder may have used another one than the scanner.
    if losses.isEmpty, let stated = fields.first(where: { $0.name == "value" })?.value,
      let reason = Self.rounding(stated, to: value)
    {
      losses.append(Loss(code: JSONFindings.numberRounded, offset: 0, reason: reason))
    }
    all = losses.sorted { $0.offset < $1.offset }
  }

  /// Returns how the number `stated` differs from `value`, whose type is narrower; `nil` if it does
  /// not, or if `stated` was rounded when it was scanned.
  private static func rounding(_ stated: Value, to value: Value) -> String? {
    switch (stated, value) {
    case (.int64(let whole), .double(let number)), (.int64(let whole), .date(let number)):
      Int64(exactly: number) == whole ? nil : rounding("\(whole)", to: "\(number)")
    case (.uint64(let whole), .double(let number)), (.uint64(let whole), .date(let number)):
      UInt64(exactly: number) == whole ? nil : rounding("\(whole)", to: "\(number)")
    case (.int64(let whole), .float(let number)):
      Int64(exactly: number) == whole ? nil : rounding("\(whole)", to: "\(number)")
    case (.uint64(let whole), .float(let number)):
      UInt64(exactly: number) == whole ? nil : rounding("\(whole)", to: "\(number)")
    case (.double(let exact), .float(let number)):
      // A float is written with the fewest digits that tell it from other floats.
      exact == Double(number) || exact == Double(number.description)
        ? nil : rounding("\(exact)", to: "\(number)")
    default: nil
    }
  }

  private static func rounding(_ stated: String, to number: String) -> String {
    "the number \(stated) is read as \(number), which does not keep all its digits"
  }
}
