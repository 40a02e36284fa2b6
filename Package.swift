// swift-tools-version: 6.2
import PackageDescription

/// Every target is checked the same way: no unsafe code outside folders called `Unsafe`, no warnings,
/// imports that are seen only where they are written.
let settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// `KVBytes` alone defines non-escapable types and returns spans from properties.
let lifetimes: SwiftSetting = .enableExperimentalFeature("Lifetimes")

/// Paths and system calls.
let system: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")

/// A product of swift-crypto, which is there with the trait only.
func crypto(_ name: String) -> Target.Dependency {
  .product(name: name, package: "swift-crypto", condition: .when(traits: ["Encryption"]))
}

/// A library of `Sources`.
func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// Tests: those of the target whose name they have, with what they compare it to.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

#if os(Linux)
  let headersOfArchives: String? = nil
#else
  let headersOfArchives: String? = "libarchive"
#endif

let package = Package(

  name: "kvfsck",
  platforms: [.macOS(.v13), .iOS(.v16)],
  products: [
    .executable(name: "kvfsck", targets: ["kvfsck"]),
    .library(name: "KVToolkit", targets: ["KVToolkit", "KVModel"]),
    .library(name: "KVToolkitC", type: .dynamic, targets: ["KVToolkitC"]),
    .library(name: "KVFixtures", targets: ["KVFixtures", "KVModel"]),
  ],
  traits: [
    .default(enabledTraits: ["Encryption", "Archives", "Viewer"]),
    .trait(
      name: "Encryption",
      description: "Encrypted stores, SHA-256 digests and hashed file names, by swift-crypto."),
    .trait(
      name: "Archives",
      description: "Stores in ZIP and TAR archives and in Android's backups, by libarchive."),
    .trait(name: "Viewer", description: "The browser of a store in a terminal, by ncurses."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    // Where pkg-config is not needed to find the headers, it is not asked, as it also links the library.
    .systemLibrary(
      name: "CArchiveHeaders", pkgConfig: headersOfArchives,
      providers: [.apt(["libarchive-dev"]), .brew(["libarchive"])]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    // Without pkg-config: SwiftPM refuses the macros that it names, and the headers need none.
    .systemLibrary(
      name: "CCurses", providers: [.apt(["libncurses-dev"]), .brew(["ncurses"])]),
    .target(
      name: "CArchive", dependencies: ["CArchiveHeaders"],
      linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    .target(name: "CChecksum"),
    .target(name: "CCipher"),
    .target(
      name: "KVBytes", dependencies: ["CZlib", "CChecksum"], swiftSettings: settings + [lifetimes]),
    library("KVSystem", ["KVBytes", system]),
    library("KVModel", ["KVBytes", "KVSystem", system]),
    library("KVCryptography", ["CCipher", "KVBytes", crypto("CryptoExtras"), crypto("Crypto")]),
    library("MMKVFormat", ["KVModel", "KVSystem", "KVBytes", "KVCryptography", system]),
    library("FastKVFormat", ["KVModel", "KVSystem", "KVBytes", "KVCryptography", system]),
    library(
      "ExchangeFormats",
      [
        "KVModel", "KVSystem", "KVBytes", "KVCryptography", "CSQLite", system,
      ]),
    library(
      "KVInput",
      [
        "KVModel", "KVSystem", "KVBytes", "ExchangeFormats",
        .target(
          name: "CArchive",
          condition: .when(platforms: [.linux, .macOS], traits: ["Archives"])), system,
      ]),
    library("KVRecovery", ["KVModel", "KVSystem", "KVBytes", "KVCryptography", system]),
    library("KVConversion", ["KVModel", "KVSystem", "KVBytes", "KVRecovery", system]),
    .target(
      name: "KVReport",
      dependencies: [
        "KVModel", "KVSystem", "KVBytes", "KVCryptography", "KVRecovery", "KVConversion",
        "ExchangeFormats", system,
      ],
      // In the code, because the installed tool is one file.
      resources: [.embedInCode("HTML/report.css"), .embedInCode("HTML/report.js")],
      swiftSettings: settings),
    .target(
      name: "KVScreen",
      dependencies: [
        "KVReport", "KVSystem", "KVBytes",
        .target(
          name: "CCurses", condition: .when(platforms: [.linux, .macOS], traits: ["Viewer"])),
      ],
      swiftSettings: settings,
      // Not in the module map, because macOS has the wide library under the short name.
      linkerSettings: [
        .linkedLibrary("ncursesw", .when(platforms: [.linux], traits: ["Viewer"])),
        .linkedLibrary("ncurses", .when(platforms: [.macOS], traits: ["Viewer"])),
      ]),
    library(
      "KVFixtures",
      [
        "KVModel", "KVSystem", "KVBytes", "KVCryptography", "KVInput", "MMKVFormat", "FastKVFormat",
        "KVRecovery", system,
      ]),
    library(
      "KVToolkit",
      [
        "KVModel", "KVSystem", "KVBytes", "KVInput", "KVRecovery", "KVConversion", "MMKVFormat",
        "FastKVFormat",
        "ExchangeFormats", system,
      ]),
    .target(name: "CKVToolkit"),
    library("KVToolkitC", ["CKVToolkit", "KVToolkit", "KVModel"]),
    .executableTarget(
      name: "kvfsck",
      dependencies: [
        "KVBytes", "KVSystem", "KVModel", "KVCryptography", "KVInput", "MMKVFormat", "FastKVFormat",
        "KVRecovery", "KVReport", "KVScreen", "KVConversion", "ExchangeFormats", "KVFixtures",
        "KVToolkit", .product(name: "ArgumentParser", package: "swift-argument-parser"), system,
      ],
      swiftSettings: settings),
    .target(
      name: "KVTestSupport",
      dependencies: [
        "KVBytes", "KVSystem", "KVModel", "KVCryptography", "KVInput", "MMKVFormat", "KVRecovery",
        "KVFixtures", system,
      ],
      path: "Tests/KVTestSupport", swiftSettings: settings),
    .target(
      name: "KVCalibration",
      dependencies: [
        "KVBytes", "KVModel", "KVCryptography", "KVRecovery", "MMKVFormat", "KVFixtures",
      ],
      path: "Tests/Calibration/KVCalibration", swiftSettings: settings),
    .executableTarget(
      name: "calibrate",
      dependencies: [
        "KVCalibration", "KVBytes", "KVSystem", "KVModel", "KVCryptography", "KVReport",
        "KVFixtures", .product(name: "ArgumentParser", package: "swift-argument-parser"), system,
      ],
      path: "Tests/Calibration/calibrate", swiftSettings: settings),
    tests("KVBytesTests", ["KVTestSupport", "KVFixtures", "KVSystem", "KVBytes", system]),
    tests(
      "MMKVFormatTests",
      [
        "KVTestSupport", "KVFixtures", "KVInput", "MMKVFormat", "KVModel", "KVSystem", "KVBytes",
        "KVCryptography", "KVRecovery", system,
      ]),
    tests(
      "FastKVFormatTests",
      [
        "KVTestSupport", "KVFixtures", "KVInput", "FastKVFormat", "KVModel", "KVSystem", "KVBytes",
        "KVCryptography", "KVRecovery", system,
      ]),
    tests(
      "KVRecoveryTests",
      [
        "KVTestSupport", "KVFixtures", "KVInput", "KVRecovery", "MMKVFormat", "KVModel", "KVSystem",
        "KVBytes", "KVCryptography", system,
      ]),
    tests(
      "ExchangeFormatsTests",
      [
        "KVTestSupport", "KVFixtures", "KVInput", "ExchangeFormats", "MMKVFormat", "KVModel",
        "KVSystem", "KVBytes",
        "KVCryptography", .product(name: "GRDB", package: "GRDB.swift"), system,
      ]),
    tests(
      "KVConversionTests",
      [
        "KVTestSupport", "KVConversion", "KVFixtures", "KVInput", "ExchangeFormats", "MMKVFormat",
        "FastKVFormat", "KVRecovery", "KVModel", "KVSystem", "KVBytes", system,
      ]),
    tests(
      "KVFixturesTests",
      [
        "KVTestSupport", "KVCalibration", "KVFixtures", "MMKVFormat", "FastKVFormat", "KVRecovery",
        "KVModel", "KVSystem", "KVBytes", "KVCryptography", system,
      ]),
    tests(
      "KVReportTests",
      [
        "KVTestSupport", "KVFixtures", "KVReport", "KVRecovery", "MMKVFormat", "KVModel",
        "KVSystem",
        "KVBytes", "KVCryptography", system,
      ]),
    tests(
      "ToyFormatTests",
      [
        "kvfsck", "KVTestSupport", "KVToolkit", "KVInput", "KVModel", "KVSystem", "KVBytes", system,
      ]),
    tests(
      "KVToolkitTests",
      [
        "KVTestSupport", "KVFixtures", "KVToolkit", "KVInput", "KVConversion", "ExchangeFormats",
        "MMKVFormat",
        "KVRecovery", "KVModel", "KVSystem", "KVBytes", system,
      ]),
    tests(
      "KvfsckTests",
      [
        "KVTestSupport", "KVCalibration", "kvfsck", "KVToolkit", "KVReport", "KVModel",
        "ExchangeFormats", "KVFixtures", "KVInput",
        .product(name: "Subprocess", package: "swift-subprocess"),
        .product(name: "GRDB", package: "GRDB.swift"), crypto("Crypto"), system,
      ]),
    .target(
      name: "FuzzChecks",
      dependencies: [
        "KVBytes", "KVSystem", "KVInput", "KVModel", "MMKVFormat", "FastKVFormat", "KVRecovery",
        "KVReport", "ExchangeFormats", "KVFixtures", system,
      ],
      path: "Tests/Fuzz/Checks", swiftSettings: settings),
    tests("FuzzRegressionTests", ["FuzzChecks"]),
    tests("ArchitectureTests", []),
  ]
)

/// What is built only when it is asked for: the tool with Swift's libraries in it (`Docs/INSTALL.md`), and what brings a
/// `main`, instrumentation or packages of its own, which are the programs for libFuzzer (`Tests/Fuzz/README.md`) and the
/// benchmarks (`Tests/Benchmarks/README.md`).
switch Context.environment["KVFSCK_BUILD"] {
case "static":
  // SwiftPM's --static-swift-stdlib would compile every module anew. Only the link differs, but without that option
  // it has to name what FoundationEssentials needs. Docs/packaging/install puts libstdc++.a into the folder.
  let libraries = ["_FoundationCShims", "_FoundationCollections"]
  let folder = "\(Context.packageDirectory)/.build/libraries"
  // Nothing loads the tool as a library, and each symbol that it exports is bound anew at its start. The id would be
  // that of the debugging information too, which no two builds have alike.
  let flags =
    ["-static-stdlib", "-L\(folder)", "-Xlinker", "--build-id=none"]
    + libraries.map { "-l\($0)" }
  let hidden = ["-Xlinker", "--no-export-dynamic"]
  for (name, flags) in [("kvfsck", flags + hidden), ("KVToolkitC", flags)] {
    package.targets.first { $0.name == name }?.linkerSettings = [
      .unsafeFlags(flags, .when(platforms: [.linux]))
    ]
  }
case "fuzzers":
  let names = [
    "mmkv", "fastkv-apple", "fastkv-android", "repair", "correction", "exchange", "sqlite",
    "archive", "script",
  ]
  package.products = []
  package.targets.removeAll { $0.type == .executable || $0.type == .test }
  package.targets.append(
    .target(
      name: "FuzzEntry", dependencies: ["FuzzChecks"], path: "Tests/Fuzz/Entry",
      swiftSettings: settings))
  package.targets += names.map { name in
    .executableTarget(
      name: "fuzz-\(name)", dependencies: ["FuzzChecks", "FuzzEntry"],
      path: "Tests/Fuzz/Targets/\(name)", exclude: ["\(name).dict"],
      swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])])
  }
case "benchmarks":
  package.dependencies.append(
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []))
  let sources = "Tests/Benchmarks/Sources"
  package.targets += [
    .target(
      name: "StoreGenerator",
      dependencies: ["KVBytes", "KVSystem", "KVModel", "KVRecovery", "MMKVFormat", system],
      path: "\(sources)/StoreGenerator", swiftSettings: settings),
    .executableTarget(
      name: "ShareOfCRC", dependencies: ["StoreGenerator", "KVRecovery"],
      path: "\(sources)/ShareOfCRC", swiftSettings: settings),
    .executableTarget(
      name: "WriteStores",
      dependencies: ["StoreGenerator", "KVSystem", "KVModel", "KVBytes", "KVRecovery", system],
      path: "\(sources)/WriteStores", swiftSettings: settings),
    .executableTarget(
      name: "MMKVBenchmarks",
      dependencies: ["StoreGenerator", .product(name: "Benchmark", package: "benchmark")],
      path: "Tests/Benchmarks/Benchmarks/MMKVBenchmarks",
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
  ]
default: break
}
