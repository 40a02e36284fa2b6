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
  /// The seconds since 1970, limited to 32 bits.
  ///
  /// The C function is `time`.
  package static var secondsSince1970: UInt32 { UInt32(clamping: time(nil)) }
}
