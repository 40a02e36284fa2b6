// swift-tools-version: 6.2
import PackageDescription

/// The fuzz targets: a folder of `Targets` each, whose name is the target's.
let names = [
  "mmkv", "fastkv-apple", "fastkv-android", "repair", "correction", "exchange", "sqlite", "script",
]

/// Checked like the targets that are fuzzed.
let settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// A package of its own: libFuzzer brings the `main` of its programs, and everything is built with its
/// counters.
let package = Package(
  name: "kvfsck-fuzz",
  platforms: [.macOS(.v26)],
  traits: [
    .default(enabledTraits: ["Encryption"]),
    .trait(name: "Encryption", description: "Fuzz encrypted stores too, which takes swift-crypto."),
  ],
  dependencies: [
    .package(
      name: "kvfsck", path: "../..",
      traits: [.trait(name: "Encryption", condition: .when(traits: ["Encryption"]))]),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
  ],
  targets: [
    .target(
      name: "Checks",
      dependencies: [
        .product(name: "KVBytes", package: "kvfsck"),
        .product(name: "KVSystem", package: "kvfsck"),
        .product(name: "KVInput", package: "kvfsck"),
        .product(name: "KVModel", package: "kvfsck"),
        .product(name: "MMKVFormat", package: "kvfsck"),
        .product(name: "FastKVFormat", package: "kvfsck"),
        .product(name: "KVRecovery", package: "kvfsck"),
        .product(name: "KVReport", package: "kvfsck"),
        .product(name: "ExchangeFormats", package: "kvfsck"),
        .product(name: "KVFixtures", package: "kvfsck"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Checks", swiftSettings: settings),
    .target(name: "Entry", path: "Entry", swiftSettings: settings),
  ]
    + names.map { name in
      .executableTarget(
        name: "fuzz-\(name)", dependencies: ["Checks", "Entry"], path: "Targets/\(name)",
        exclude: ["\(name).dict"],
        swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])])
    }
)
