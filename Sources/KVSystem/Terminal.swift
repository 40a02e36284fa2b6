import KVBytes

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The standard streams of the process.
package enum Terminal {
  /// A standard stream.
  package enum Stream: Int32, Sendable {
    /// Standard input, for answers.
    case input = 0
    /// Standard output, for results.
    case output = 1
    /// Standard error, for everything else.
    case error = 2
  }

  /// Returns whether `stream` is a terminal.
  ///
  /// The C function is `isatty`.
  package static func isInteractive(_ stream: Stream) -> Bool { isatty(stream.rawValue) == 1 }
}
