import KVFixtures
import KVSystem
import KVTestSupport
import SystemPackage
import Testing

/// What paths consist of, read from their bytes.
struct RawPathTests {
  @Test(
    "Folder and name of a path are those that swift-system finds", arguments: RandomSeeds.fresh(4))
  func parts(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    // Few different bytes, so that slashes and dots are frequent; 0xe9 alone is no UTF-8.
    let alphabet: [UInt8] = [0x2f, 0x2f, 0x2e, 0x61, 0xe9]
    for _ in 0..<500 {
      let count = Int.random(in: 0...8, using: &random)
      let bytes = (0..<count).map { _ in alphabet[Int.random(in: 0..<5, using: &random)] }
      let path = FilePath(bytes: bytes)
      #expect(path.parent == path.removingLastComponent(), "\(bytes)")
      #expect(path.lastName?.bytes == path.lastComponent?.bytes, "\(bytes)")
    }
  }
}
