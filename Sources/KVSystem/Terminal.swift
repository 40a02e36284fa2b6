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

  /// Whether no stream counts as a terminal.
  @TaskLocal private static var areDenied = false

  /// Calls `body`, for which no stream is a terminal: its results go to a program.
  package static func denied<Result>(_ body: () throws -> Result) rethrows -> Result {
    try $areDenied.withValue(true, operation: body)
  }

  /// Returns whether `stream` is a terminal.
  ///
  /// The C function is `isatty`.
  package static func isInteractive(_ stream: Stream) -> Bool {
    !areDenied && isatty(stream.rawValue) == 1
  }
}
