import KVModel

extension Ranking {
  /// Adds the numbers, truth values and times that `body` can be.
  mutating func addScalars(_ body: Span<UInt8>) {
    if body.count == 1, body[0] <= 1 {
      add(.bool(body[0] == 1), .likely, because: "one byte, 00 or 01, as a truth value has")
    }
    let varint = body.minimalVarint(at: 0).flatMap { $0.end == body.count ? $0.value : nil }
    if body.count == 4, let bits = body.integer(UInt32.self, at: 0) {
      addFloat(Float(bitPattern: bits), beside: varint)
    }
    if body.count == 8, let bits = body.integer(UInt64.self, at: 0) {
      addDouble(Double(bitPattern: bits))
    }
    if let varint { addInteger(varint) }
  }

  /// Adds four bytes as a number; `varint` is what they are too.
  private mutating func addFloat(_ number: Float, beside varint: UInt64?) {
    guard number.isUsual else {
      add(.float(number), .remote, because: "four bytes fit, but the number is an odd one")
      return
    }
    // 1.1 is `cd cc 8c 3f`, and so is 132326989. What is shorter in decimal is what was meant.
    if let varint, varint.significantDigits <= number.significantDigits {
      add(.float(number), .plausible, because: "four bytes fit, with a usual exponent")
    } else {
      add(.float(number), .likely, because: "four bytes with the exponent of a usual number")
    }
  }

  /// Adds eight bytes as a number, and as the time that it may be.
  private mutating func addDouble(_ number: Double) {
    let isRecent = EpochUnit.recentSeconds.contains(number)
    let seconds = "as seconds since 1970, the form of NSDate, it is a time from "
    if isRecent {
      add(.date(number), .likely, because: seconds + "2001 to 2039")
    }
    if number.isUsual {
      add(.double(number), .likely, because: "eight bytes with the exponent of a usual number")
    } else {
      add(.double(number), .remote, because: "eight bytes fit, but the number is an odd one")
    }
    if !isRecent, EpochUnit.dateSeconds.contains(number) {
      add(.date(number), .plausible, because: seconds + "1990 to 2099")
    }
    if let whole = Int64(exactly: number), let seconds = EpochUnit.milliseconds.seconds(whole) {
      add(
        .date(seconds), .plausible,
        because: "the number is a time from 2000 to 2099, if milliseconds since 1970 are counted")
    }
  }

  /// Adds a varint as a number, and as the time that it may be.
  ///
  /// The types that give the same number share one reading, that of the narrowest signed type.
  private mutating func addInteger(_ varint: UInt64) {
    let number = Int64(bitPattern: varint)
    let negative = "ten bytes, as a negative number has"
    switch (Int32(exactly: number), number < 0) {
    case (let small?, true):
      add(.int32(small), .likely, because: negative + "; int64 gives the same number")
    case (nil, true):
      add(.int64(number), .likely, because: negative)
    case (let small?, false):
      add(
        .int32(small), .likely,
        because: "a whole varint; int64, uint32 and uint64 give the same number")
    case (nil, false):
      let others = UInt32(exactly: varint) == nil ? "uint64 gives" : "uint32 and uint64 give"
      add(.int64(number), .likely, because: "a whole varint; \(others) the same number")
    }
    if number < 0 {
      add(.uint64(varint), .possible, because: "ten bytes, if the top bit is not a sign")
    }
    for unit in EpochUnit.allCases {
      guard let seconds = unit.seconds(number) else { continue }
      add(
        .date(seconds), .plausible,
        because: "the number is a time from 2000 to 2099, if \(unit.name) since 1970 are counted")
    }
  }
}
