#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The end of this process.
package enum ProcessEnd {
  /// Ends the process with `status`.
  ///
  /// The argument parser can do so too, but makes the text of its help for it.
  package static func exit(_ status: CInt) -> Never {
    #if canImport(Glibc)
      Glibc.exit(status)
    #elseif canImport(Musl)
      Musl.exit(status)
    #else
      Darwin.exit(status)
    #endif
  }
}
