import KVRecovery
import StoreGenerator

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Prints how fast stores are checked, in percent of the speed of CRC-32 over the same bytes.
///
/// The arguments are the number of repetitions, 15 by default, and the names of the stores, all by
/// default. The exit status is 1 if a limit is missed.
@main
enum ShareOfCRC {
  static func main() throws {
    let repetitions = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 15
    print("medians of \(repetitions) repetitions, CPU time\n")
    print(row("store", ["MB", "CRC-32 MB/s", "check MB/s", "share", "limit", ""]))
    let named = CommandLine.arguments.dropFirst(2)
    var isMissed = false
    for workload in Workload.allCases where named.isEmpty || named.contains(workload.rawValue) {
      let store = try workload.store()
      let times = Times(of: store, repetitions)
      let megabytes = Double(store.payload.count) / 1_000_000
      let share = 100 * times.digest / times.check
      let isBelow = share < workload.limit ?? 0
      isMissed = isMissed || isBelow
      print(
        row(
          workload.title,
          [
            tenths(megabytes), tenths(megabytes / times.digest), tenths(megabytes / times.check),
            tenths(share) + "%", workload.limit.map { tenths($0) + "%" } ?? "none",
            isBelow ? "missed" : "",
          ]))
    }
    exit(isMissed ? 1 : 0)
  }

  private static func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

  private static func row(_ name: String, _ columns: [String]) -> String {
    columns.reduce(name + spaces(24 - name.count)) { $0 + spaces(13 - $1.count) + $1 }
  }

  private static func spaces(_ count: Int) -> String {
    String(repeating: " ", count: max(0, count))
  }
}

/// The median CPU times of the CRC-32 and the check of a store, in seconds.
///
/// The two alternate, so that both see the same state of the machine, after one uncounted run of
/// each. CPU time is disturbed least by other programs.
struct Times {
  let digest: Double
  let check: Double

  init(of store: GeneratedStore, _ repetitions: Int) {
    var digests: [Double] = []
    var checks: [Double] = []
    for repetition in 0...max(1, repetitions) {
      let digest = Times.seconds { Int(store.digest()) }
      let check = Times.seconds { store.diagnosis().findings.count }
      if repetition == 0 { continue }
      digests.append(digest)
      checks.append(check)
    }
    self.digest = digests.sorted()[digests.count / 2]
    self.check = checks.sorted()[checks.count / 2]
  }

  /// Returns how long `body` runs.
  ///
  /// Its result is used, so that the compiler does not remove the work.
  private static func seconds(_ body: () -> Int) -> Double {
    let start = clock()
    let result = body()
    let end = clock()
    precondition(result >= 0)
    return Double(end - start) / Double(CLOCKS_PER_SEC)
  }
}
