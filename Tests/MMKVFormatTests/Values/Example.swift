import KVModel
import Testing

/// The bytes of a value, the most likely reading, and the kinds of all possible readings.
struct Example: Sendable, CustomTestStringConvertible {
  let bytes: String
  let first: Value
  let kinds: [String]

  init(_ bytes: String, _ first: Value, _ kinds: String...) {
    self.bytes = bytes
    self.first = first
    self.kinds = kinds
  }

  var testDescription: String { "\(bytes.prefix(40)) is \(first.kind)" }

  static let all = scalars + contents + lists + stored

  private static let scalars = [
    Example("00", .bool(false), "bool", "int32", "string", "bytes", "list<string>"),
    Example("01", .bool(true), "bool", "int32"),
    Example("02", .int32(2), "int32"),
    Example("7f", .int32(127), "int32"),
    Example("ffffffff07", .int32(.max), "int32", "date"),
    Example("8080808008", .int64(2_147_483_648), "int64", "date"),
    Example("ffffffff0f", .int64(4_294_967_295), "int64"),
    Example("ffffffffffffffff7f", .int64(.max), "int64"),
    Example("ffffffffffffffffff01", .int32(-1), "int32", "uint64"),
    Example("80808080f8ffffffff01", .int32(.min), "int32", "uint64"),
    Example("fffffffff7ffffffff01", .int64(-2_147_483_649), "int64", "uint64"),
    Example("80808080808080808001", .int64(.min), "int64", "uint64"),
    Example("0000c03f", .float(1.5), "float"),
    Example("0000807f", .float(.infinity), "float"),
    Example("cdcc8c3f", .float(1.1), "float", "int32"),
    Example("80c9fe3d", .int32(130_000_000), "int32", "float"),
    Example("80808001", .int32(2_097_152), "int32", "float"),
    Example("9a99999999991940", .double(6.4), "double"),
    Example("9a9999999999f13f", .double(1.1), "double", "int64"),
    Example("182d4454fb210940", .double(.pi), "double"),
    Example("0000000000000000", .double(0), "double"),
    Example("0100000000000000", .double(.leastNonzeroMagnitude), "double"),
    Example("80e0c5fabbe29103", .int64(1_767_000_000_000_000), "int64", "date", "double"),
    Example("80", .bytes([0x80]), "bytes"),
    Example("0568656c6c", .bytes([5, 0x68, 0x65, 0x6c, 0x6c]), "bytes"),
  ]

  private static let contents = [
    Example("0568656c6c6f", .string("hello"), "string", "bytes", "list<int32>"),
    Example("03616263", .string("abc"), "string", "bytes", "list<int32>", "float"),
    Example("02c3a9", .string("é"), "string", "bytes"),
    Example("0761626364656667", .string("abcdefg"), "string", "bytes", "list<int32>", "double"),
    Example("0101", .bytes([1]), "bytes", "list<bool>", "list<int32>", "string"),
    Example("02fffe", .bytes([0xff, 0xfe]), "bytes"),
    Example("03610062", .bytes([0x61, 0, 0x62]), "bytes", "string", "float", "list<int32>"),
    Example(
      "107b2261223a205b312c20747275655d7d", .string("{\"a\": [1, true]}"), "json", "string",
      "bytes",
      "list<int32>", "list<float>", "list<double>"),
  ]

  private static let lists = [
    Example(
      "0401610162", .list(.string(["a", "b"])),
      "list<string>", "string", "bytes", "list<int32>", "list<float>"),
    Example(
      "03026162", .list(.string(["ab"])), "list<string>", "string", "bytes", "list<int32>", "float"),
    Example(
      "0100", .list(.string([""])), "list<string>", "list<bool>", "list<int32>", "string", "bytes"),
    Example(
      "080102030405060708", .list(.int32([1, 2, 3, 4, 5, 6, 7, 8])),
      "list<int32>", "list<float>", "list<double>", "bytes", "string"),
    Example(
      "0bffffffffffffffffff0101", .list(.int32([-1, 1])), "list<int32>", "list<uint64>", "bytes"),
    Example(
      "0400000000", .bytes([0, 0, 0, 0]),
      "bytes", "list<bool>", "list<int32>", "list<float>", "list<string>", "string"),
  ]

  /// Bytes that the engine stored for a value of the first reading's type.
  ///
  /// The value of the last example was a list of strings, one of which is not UTF-8.
  private static let stored = [
    Example("9c7500883ce4377e", .double(1e300), "double"),
    Example("c1e9a9bfc483f88e3d", .int64(4_403_922_422_708_466_881), "int64"),
    Example(
      "21426849676a6e75787074736f396f6a3330676e65303946706b736f614346646742",
      .string("BhIgjnuxptso9oj30gne09FpksoaCFdgB"), "string", "bytes", "list<int32>"),
    Example(
      "119a24813bb24974822bf2acaf51bbb42c3a",
      .bytes([
        0x9a, 0x24, 0x81, 0x3b, 0xb2, 0x49, 0x74, 0x82, 0x2b, 0xf2, 0xac, 0xaf, 0x51, 0xbb, 0xb4,
        0x2c, 0x3a,
      ]), "bytes", "list<int32>"),
    Example(
      "6b0fe697a5e69cace8aa9ee382ade383bc08d0bad0bbd18ed1870ad985d981d8aad8a7d8ad09f09f9491656d6f6a69"
        + "07636cc3a95fc3a90c65cc81636f6d62696e696e6709ed959ceab5adec96b409e0b984e0b897e0b8a20cf09d9498f0"
        + "9d94abf09d94a6066e61c3af7665",
      .list(
        .string([
          "日本語キー", "ключ", "مفتاح", "🔑emoji", "clé_é", "e\u{301}combining", "한국어", "ไทย",
          "𝔘𝔫𝔦", "naïve",
        ])), "list<string>", "string", "bytes"),
    Example(
      "03010001", .list(.bool([true, false, true])), "list<bool>", "bytes", "list<int32>", "string",
      "float"),
    Example(
      "080000c03f000000c0", .list(.float([1.5, -2])), "list<float>", "bytes", "list<double>"),
    Example(
      "109a9999999999b93f000000205fa00242", .list(.double([0.1, 1e10])), "list<double>", "bytes",
      "list<float>", "list<int64>"),
    Example(
      "0d01ffffffffffffffffff01ac02", .list(.int32([1, -1, 300])), "list<int32>", "bytes",
      "list<uint64>"),
    Example(
      "10808080808020fbffffffffffffffff01", .list(.int64([1 << 40, -5])), "list<int64>", "bytes",
      "list<uint64>", "list<double>", "list<float>"),
    Example(
      "09010005ffffffffff00", .bytes([1, 0, 5, 0xff, 0xff, 0xff, 0xff, 0xff, 0]),
      "bytes", "list<bytes>"),
  ]
}
