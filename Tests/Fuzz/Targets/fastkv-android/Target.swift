import FuzzChecks
import FuzzEntry

/// Checks one input, as the entry point that libFuzzer calls.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  unsafe run(start, count, FuzzTarget.fastkvAndroid)
}
