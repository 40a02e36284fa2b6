/// The numbers by which damaged stores of FastKV for Android are judged, in bits.
enum Priors {
  /// The least number of bytes that could have had their highest bit, if none in the file has it, for
  /// a transfer in seven bits to be likely: 8 bits against the prior of a transfer as text, and 6 for
  /// a claim that is shown.
  static let clearedBits = 16
}
