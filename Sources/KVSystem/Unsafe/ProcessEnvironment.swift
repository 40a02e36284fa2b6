#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The environment variables of the process.
package enum ProcessEnvironment {
  /// The value of the variable `name`, in which bytes that are not UTF-8 are replaced; `nil` if it is
  /// not set.
  package static subscript(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }
}
