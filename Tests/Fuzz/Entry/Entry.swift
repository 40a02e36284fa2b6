/// Hands the bytes that libFuzzer points at to `check`; what it returns is what libFuzzer asks for.
public func run(
  _ start: UnsafePointer<UInt8>?, _ count: Int, _ check: ([UInt8]) -> Void
) -> CInt {
  check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
