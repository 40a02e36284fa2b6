import KVModel

extension Ranking {
  /// Adds the numbers, Booleans and times that `body` can be; `isText` says whether it is printable
  /// text too.
  mutating func addScalars(_ body: Span<UInt8>, besideText isText: Bool) {
    if body.count == 1, body[0] <= 1 {
      add(.bool(body[0] == 1), .likely, because: "one byte, 00 or 01, as for a Boolean")
    }
    let varint = body.minimalVarint(at: 0).flatMap { $0.end == body.count ? $0.value : nil }
    var likelihood = Likelihood.likely
    if body.count == 4, let bits = body.integer(UInt32.self, at: 0) {
      likelihood = addFloat(Float(bitPattern: bits), beside: varint, besideText: isText)
    }
    if body.count == 8, let bits = body.integer(UInt64.self, at: 0) {
      likelihood = addDouble(Double(bitPattern: bits), beside: varint, besideText: isText)
    }
    if let varint { addInteger(varint, likelihood) }
  }

  /// Adds four bytes as a number; `varint` is what they are as a varint.
  ///
  /// - Returns: The likelihood of the varint.
  private mutating func addFloat(
    _ number: Float, beside varint: UInt64?, besideText isText: Bool
  ) -> Likelihood {
    guard number.isUsual else {
      add(.float(number), .remote, because: "four bytes fit, but the number is unusual")
      return .likely
    }
    // The first of three characters is one digit of many: "USD" is 4.8e2, "007" 1.6e-7.
    if isText {
      add(.float(number), .possible, because: "four bytes fit, with a typical exponent")
      return .likely
    }
    let (likelihood, other) = number.likelihoods(beside: varint)
    add(
      .float(number), likelihood,
      because: likelihood <= .likely
        ? "four bytes with the exponent of a typical number"
        : "four bytes fit, with a typical exponent")
    return other
  }

  /// Adds eight bytes as a number, and as the times that it may be; `varint` is what they are as a
  /// varint.
  ///
  /// - Returns: The likelihood of the varint.
  private mutating func addDouble(
    _ number: Double, beside varint: UInt64?, besideText isText: Bool
  ) -> Likelihood {
    let (likelihood, other) =
      !number.isUsual
      ? (.remote, .likely) : isText ? (.possible, .likely) : number.likelihoods(beside: varint)
    let times = EpochUnit.times(in: number)
    // A point in time has a fraction; programs that count whole seconds in a double do not.
    let isMoment = EpochUnit.recentSeconds.contains(number) && number.rounded() != number
    if isMoment, let time = times.first { add(time, in: number, .compelling) }
    add(
      .double(number), isMoment ? .plausible : likelihood,
      because: number.isUsual
        ? "eight bytes with the exponent of a typical number"
        : "eight bytes fit, but the number is unusual")
    for time in times.dropFirst(isMoment ? 1 : 0) { add(time, in: number, .plausible) }
    return other
  }

  /// Adds a time that a number of eight bytes counts.
  private mutating func add(_ time: CountedTime, in number: Double, _ likelihood: Likelihood) {
    switch time.unit {
    case .seconds, .date:
      let isRecent = EpochUnit.recentSeconds.contains(number)
      add(
        .date(time.seconds), isRecent ? likelihood : .possible,
        because: "in seconds since 1970, as stored for NSDate, it is a time from "
          + (isRecent ? "2001 to 2039" : "1990 to 2099"))
    case .cocoa:
      add(
        .date(time.seconds), likelihood,
        because: "as \(time.unit.name), the number is a time from 2011 to 2040")
    case .milliseconds, .microseconds, .nanoseconds, .webKit, .fileTime:
      add(
        .date(time.seconds), likelihood,
        because: "as \(time.unit.name), the number is a time from 2000 to 2099")
    }
  }

  /// Adds a varint as a number, and as the times that it may be.
  ///
  /// Types that give the same number share one reading, with the narrowest signed type.
  private mutating func addInteger(_ varint: UInt64, _ likelihood: Likelihood) {
    let number = Int64(bitPattern: varint)
    let negative = "ten bytes, as for a negative number"
    switch (Int32(exactly: number), number < 0) {
    case (let small?, true):
      add(.int32(small), likelihood, because: negative + "; int64 gives the same number")
    case (nil, true):
      add(.int64(number), likelihood, because: negative)
    case (let small?, false):
      add(
        .int32(small), likelihood,
        because: "a whole varint; int64, uint32 and uint64 give the same number")
    case (nil, false):
      let others = UInt32(exactly: varint) == nil ? "uint64 gives" : "uint32 and uint64 give"
      add(.int64(number), likelihood, because: "a whole varint; \(others) the same number")
    }
    if number < 0 {
      add(.uint64(varint), .possible, because: "ten bytes, if the top bit is not a sign bit")
    }
    for unit in EpochUnit.ofIntegers {
      guard let time = unit.time(number) else { continue }
      add(
        .date(time.seconds), .plausible,
        because: "as \(unit.name), the number is a time from 2000 to 2099")
    }
  }
}

extension UsualNumber {
  /// Returns the likelihoods that the bytes are this number, and that they are `varint`, if they
  /// are both.
  ///
  /// 1.1 is `cd cc 8c 3f`, and so is 132326989. The number that is shorter in decimal was meant:
  /// each digit less makes a coincidence ten times less likely.
  fileprivate func likelihoods(beside varint: UInt64?) -> (Likelihood, varint: Likelihood) {
    guard let varint else { return (.likely, .likely) }
    return switch varint.significantDigits - significantDigits {
    case 6...: (.compelling, .remote)
    case 3...: (.likely, .remote)
    case 1...: (.likely, .plausible)
    case -1...0: (.plausible, .likely)
    default: (.possible, .likely)
    }
  }
}
