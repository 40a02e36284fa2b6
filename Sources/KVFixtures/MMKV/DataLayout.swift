/// The lengths of the parts of MMKV's data file, in bytes.
///
/// Reference: `Docs/FORMAT-MMKV.md` § Data file.
enum DataLayout {
  /// The length of the header before the payload.
  static let headerCount = 4
  /// The length of the prefix before the records.
  static let prefixCount = 4
  /// The range from which prefixes are drawn.
  ///
  /// Each number in it takes four bytes.
  static let prefixes: ClosedRange<UInt32> = 0x20_0000...0xfff_ffff
  /// The length of the expiry time at the end of a value.
  static let expiryCount = 4
  /// The maximum length of a value that the engine keeps in its map when the file is encrypted.
  static let smallValueCount = 256
}
