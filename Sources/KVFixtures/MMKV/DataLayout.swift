/// The lengths that MMKV's data file is made of, in bytes.
///
/// Reference: `Docs/FORMAT-MMKV.md` § Data file.
enum DataLayout {
  /// The header before the payload.
  static let headerCount = 4
  /// The prefix before the records.
  static let prefixCount = 4
  /// The values that the prefix is drawn from; each takes four bytes.
  static let prefixes: ClosedRange<UInt32> = 0x20_0000...0xfff_ffff
  /// The time of expiry at the end of a value.
  static let expiryCount = 4
  /// The longest value that the engine keeps in its map when the file is encrypted.
  static let smallValueCount = 256
}
