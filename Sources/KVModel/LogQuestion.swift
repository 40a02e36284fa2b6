/// What an engine asks the app about a damaged log, as far as it asks at all.
public enum LogQuestion: Hashable, Sendable {
  /// A checksum does not hold, or records do not decode.
  case checksum
  /// The log is said to be longer than the file.
  case length
}
