// swift-tools-version: 6.2
import PackageDescription

/// Checked like the targets that are measured.
let settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// A package of its own, so that what measures never enters the graph of what is measured.
let package = Package(
  name: "kvfsck-benchmarks",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "kvfsck", path: "../.."),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
  ],
  targets: [
    .target(
      name: "StoreGenerator",
      dependencies: [
        .product(name: "KVBytes", package: "kvfsck"),
        .product(name: "KVSystem", package: "kvfsck"),
        .product(name: "KVModel", package: "kvfsck"),
        .product(name: "KVRecovery", package: "kvfsck"),
        .product(name: "MMKVFormat", package: "kvfsck"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "ShareOfCRC",
      dependencies: ["StoreGenerator", .product(name: "KVRecovery", package: "kvfsck")],
      swiftSettings: settings),
    .executableTarget(
      name: "WriteStores",
      dependencies: [
        "StoreGenerator",
        .product(name: "KVModel", package: "kvfsck"),
        .product(name: "KVBytes", package: "kvfsck"),
        .product(name: "KVSystem", package: "kvfsck"),
        .product(name: "KVRecovery", package: "kvfsck"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "MMKVBenchmarks",
      dependencies: ["StoreGenerator", .product(name: "Benchmark", package: "benchmark")],
      path: "Benchmarks/MMKVBenchmarks",
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
  ]
)
