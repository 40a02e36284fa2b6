extension Value {
  /// Whether both have the same type and the same bits: NaN is itself, and −0 is not 0.
  ///
  /// Sets and dictionaries are the same in any order.
  public func isSame(as other: Value) -> Bool {
    switch (self, other) {
    case (.float(let one), .float(let two)): one.bitPattern == two.bitPattern
    case (.double(let one), .double(let two)): one.bitPattern == two.bitPattern
    case (.date(let one), .date(let two)): one.bitPattern == two.bitPattern
    case (.list(let one), .list(let two)):
      one.kind == two.kind && one.count == two.count
        && zip(one, two).allSatisfy { $0.isSame(as: $1) }
    case (.array(let one), .array(let two)):
      one.count == two.count && zip(one, two).allSatisfy { $0.isSame(as: $1) }
    case (.dictionary(let one), .dictionary(let two)):
      one.count == two.count
        && zip(one.sortedByName, two.sortedByName)
          .allSatisfy { $0.name.hasSameBytes(as: $1.name) && $0.value.isSame(as: $1.value) }
    case (.set(let one), .set(let two)): Set(one.byteTexts) == Set(two.byteTexts)
    default: self == other
    }
  }
}

extension [Value.Member] {
  /// The members in the order of the bytes of their names.
  fileprivate var sortedByName: [Value.Member] {
    sorted { ByteText($0.name) < ByteText($1.name) }
  }
}
