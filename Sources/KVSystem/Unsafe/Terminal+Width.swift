#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Terminal {
  /// Returns the width of the terminal in characters; `nil` if `stream` is not a terminal or does
  /// not report it.
  package static func width(of stream: Stream) -> Int? {
    size(of: stream).flatMap { $0.ws_col > 0 ? Int($0.ws_col) : nil }
  }

  /// Returns the height of the terminal in lines; `nil` if `stream` is not a terminal or does not
  /// report it.
  package static func height(of stream: Stream) -> Int? {
    size(of: stream).flatMap { $0.ws_row > 0 ? Int($0.ws_row) : nil }
  }

  /// Returns the size of the terminal; the C function is `ioctl`.
  private static func size(of stream: Stream) -> winsize? {
    guard isInteractive(stream) else { return nil }
    var size = winsize()
    return unsafe ioctl(stream.rawValue, UInt(TIOCGWINSZ), &size) == 0 ? size : nil
  }
}
