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
  ///
  /// The C function is `ioctl`.
  package static func width(of stream: Stream) -> Int? {
    guard isInteractive(stream) else { return nil }
    var size = winsize()
    guard unsafe ioctl(stream.rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return nil
    }
    return Int(size.ws_col)
  }
}
