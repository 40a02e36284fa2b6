#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Terminal {
  /// How many characters a line of `stream` has; `nil` where no person is at the other end, or the
  /// terminal does not say.
  package static func width(of stream: Stream) -> Int? {
    size(of: stream).flatMap { $0.ws_col > 0 ? Int($0.ws_col) : nil }
  }

  /// How many lines `stream` shows at once; `nil` where ``width(of:)`` would be.
  package static func height(of stream: Stream) -> Int? {
    size(of: stream).flatMap { $0.ws_row > 0 ? Int($0.ws_row) : nil }
  }

  /// The C function is `ioctl`.
  private static func size(of stream: Stream) -> winsize? {
    guard isInteractive(stream) else { return nil }
    var size = winsize()
    return unsafe ioctl(stream.rawValue, UInt(TIOCGWINSZ), &size) == 0 ? size : nil
  }
}
