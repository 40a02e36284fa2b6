import Benchmark
import StoreGenerator

/// The benchmarks of each store: its check, and the CRC-32 of its payload.
let benchmarks: @Sendable () -> Void = {
  Benchmark.defaultConfiguration = .init(
    metrics: [.cpuTotal, .wallClock, .peakMemoryResident],
    maxDuration: .seconds(5), maxIterations: 30)
  for workload in Workload.allCases {
    Benchmark("\(workload.title): check") { _, store in
      blackHole(store.diagnosis())
    } setup: {
      try workload.store()
    }
    Benchmark("\(workload.title): CRC-32") { _, store in
      blackHole(store.digest())
    } setup: {
      try workload.store()
    }
  }
}
