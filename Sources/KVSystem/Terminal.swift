import KVBytes

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The streams of the process.
package enum Terminal {
  /// A stream that the process was started with.
  package enum Stream: Int32, Sendable {
    /// Where answers come from.
    case input = 0
    /// Where results go.
    case output = 1
    /// Where everything else goes.
    case error = 2
  }

  /// Whether a person is at the other end.
  ///
  /// The corresponding C function is `isatty`.
  package static func isInteractive(_ stream: Stream) -> Bool { isatty(stream.rawValue) == 1 }
}
