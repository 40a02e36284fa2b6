package import KVModel

/// Values of every type, including edge cases.
package enum Samples {
  /// The values.
  package static let values: [Value] = [
    .bool(true), .bool(false),
    .int32(0), .int32(.min), .int32(.max),
    .uint32(.max), .int64(.min), .int64(.max), .int64(1 << 53 + 1), .uint64(.max),
    .float(1.1), .float(-0.0), .float(.infinity), .float(Float(bitPattern: 0x7fc0_0001)),
    .float(.leastNonzeroMagnitude), .float(.greatestFiniteMagnitude),
    .double(0.1), .double(-0.0), .double(-.infinity),
    .double(Double(bitPattern: 0x7ff8_0000_0000_0001)), .double(.leastNonzeroMagnitude),
    .double(1e7),
    .string(""), .string("text"), .string("\u{0}"), .string("a\r\nb\tc\u{1}"),
    .string("<&>\"'"), .string("höß😀\u{2028}"),
    .bytes([]), .bytes([0, 255, 1]),
    .date(0), .date(1_760_000_000.25), .date(-1.5),
    .keyedArchive(className: "NSArray", Array("bplist00".utf8) + [1]),
    .keyedArchive(className: nil, Array("bplist00".utf8)),
    .json("{\"a\":[1,2]}"),
    .list(.bool([true, false])), .list(.int32([1, -1])), .list(.uint32([7])),
    .list(.int64([.min])), .list(.uint64([.max])), .list(.float([1.5, -0.0])),
    .list(.double([.nan])), .list(.string(["a", "", "ü"])), .list(.string([])),
    .list(.bytes([[1], []])),
    .set(["a", "b"]), .set([]), .set(["x", nil]),
    .array([.int64(1), .string("x"), .array([.bool(true)])]),
    .dictionary([.init("b", .int64(2)), .init("a", .dictionary([.init("c", .date(5))]))]),
    .object(className: "com.example.Thing", [1, 2, 3]),
    .null,
    .raw([5, 104, 101, 108, 108, 111]),
  ]

  /// An entry for each value.
  package static let entries = values.enumerated().map {
    TypedEntry(key: Key(Array("key\($0.offset)".utf8)), value: $0.element)
  }
}
