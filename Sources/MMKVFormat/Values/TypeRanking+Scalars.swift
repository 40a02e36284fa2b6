import KVModel

extension TypeRanking {
  /// Adds the numbers, Booleans and times that `body` can be; `isText` says whether it is printable
  /// text too.
  mutating func addScalars(_ body: Span<UInt8>, besideText isText: Bool) {
    if body.count == 1, body[0] <= 1 { add(.bool, .likely, .truthByte) }
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
      add(.float, .remote, .unusualFloat)
      return .likely
    }
    // The first of three characters is one digit of many: "USD" is 4.8e2, "007" 1.6e-7.
    if isText {
      add(.float, .possible, .possibleFloat)
      return .likely
    }
    let (likelihood, other) = number.likelihoods(beside: varint)
    add(.float, likelihood, likelihood <= .likely ? .typicalFloat : .possibleFloat)
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
    let units = EpochUnit.units(of: number)
    let isRecent = EpochUnit.recentSeconds.contains(number)
    // A point in time has a fraction; programs that count whole seconds in a double do not.
    let isMoment = isRecent && number.rounded() != number
    if isMoment { addTime(units[0], .compelling) }
    add(
      .double, isMoment ? .plausible : likelihood,
      number.isUsual ? .typicalDouble : .unusualDouble)
    for unit in units.dropFirst(isMoment ? 1 : 0) {
      addTime(unit, unit == .seconds && !isRecent ? .possible : .plausible)
    }
    return other
  }

  /// Adds a time that a number of eight bytes counts.
  private mutating func addTime(_ unit: EpochUnit, _ likelihood: Likelihood) {
    // In seconds since 1970, the number is a date as it is stored.
    add(.date, stored: unit == .seconds ? .date : .double, in: unit, likelihood, .time)
  }

  /// Adds a varint as a number, and as the time that it may be.
  ///
  /// Types that give the same number share one candidate, the narrowest signed type.
  private mutating func addInteger(_ varint: UInt64, _ likelihood: Likelihood) {
    let number = Int64(bitPattern: varint)
    let kind: Value.Kind = Int32(exactly: number) != nil ? .int32 : .int64
    add(kind, likelihood, number < 0 ? .negative : .varint)
    if number < 0 { add(.uint64, .possible, .topBit) }
    if let unit = EpochUnit.unit(of: number) {
      add(.date, stored: kind, in: unit, .plausible, .time)
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
