import Foundation
public import FuzzChecks

/// Passes the bytes of libFuzzer to the check of `target`, and returns the result that libFuzzer
/// requires.
///
/// If a guarantee is violated, the process aborts, because libFuzzer reports only inputs that
/// crash.
public func run(
  _ start: UnsafePointer<UInt8>?, _ count: Int, _ target: FuzzTarget
) -> CInt {
  do throws(Violation) {
    try target.check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  } catch {
    FileHandle.standardError.write(Data("kvfsck: \(error)\n".utf8))
    abort()
  }
  return 0
}
