import KVBytes

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The time of day.
package enum SystemClock {
  /// Seconds since 1970, as far as 32 bits go.
  ///
  /// The corresponding C function is `time`.
  package static var secondsSince1970: UInt32 { UInt32(clamping: time(nil)) }
}
