import Foundation
import KVInput
import KVModel
import KVSystem
import KVTestSupport
import KVToolkit
import MMKVFormat
import SystemPackage
import Testing

/// How far a scan is ahead of whoever takes its results.
struct ScanAheadTests {
  @Test("A scan that keeps the stores keeps few that are not yet taken")
  func fewStoresAreAhead() async throws {
    let folder = try TemporaryFolder()
    let count = 200
    for number in 0..<count {
      var builder = MMKVFixtureBuilder()
      builder.put("key", [7])
      try folder.write(builder.data, to: "store\(number)")
      try folder.write(builder.meta, to: "store\(number).crc")
    }
    let path = folder.path
    // A scan blocks its thread, which must not be one of those that run the tasks.
    let (taken, ahead) = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: Self.scan(path)) }
    }
    #expect(taken == count)
    // The meta files are passed when the folder is listed. Four stores are ahead for each of two
    // jobs, and one is taken.
    #expect(ahead - count <= 9, "\(ahead - count) stores were ahead")
  }

  /// Scans `folder` with two jobs, and returns the number of stores, and by how many files the walk was ahead
  /// at most.
  private static func scan(_ folder: FilePath) -> (taken: Int, ahead: Int) {
    var options = TreeScan.Options(FormatOptions(now: 1_760_000_000))
    options.kept = .all
    options.jobCount = 2
    var (taken, ahead, passed) = (0, 0, 0)
    TreeScan(.standard, options).results(
      of: TreeWalk([folder]), overlapping: false, passed: { passed = $0 }
    ) { _ in
      taken += 1
      ahead = max(ahead, passed - taken)
      // Meanwhile, the jobs could examine many more. Where they do not, nothing depends on it.
      Thread.sleep(forTimeInterval: 0.002)
      return true
    }
    return (taken, ahead)
  }
}
