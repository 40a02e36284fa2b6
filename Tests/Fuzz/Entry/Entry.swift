/// Passes the bytes of libFuzzer to `check`, and returns the result that libFuzzer requires.
public func run(
  _ start: UnsafePointer<UInt8>?, _ count: Int, _ check: ([UInt8]) -> Void
) -> CInt {
  check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
