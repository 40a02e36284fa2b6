import FuzzChecks
import FuzzEntry

/// The entry point that libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  unsafe run(start, count, FuzzTarget.mmkv)
}
