// swift-tools-version: 6.2
import PackageDescription

/// Every target is checked the same way: no unsafe code outside `KVBytes/Unsafe`, no warnings,
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

let package = Package(
  name: "kvfsck",
  platforms: [.macOS(.v26), .iOS(.v26)],
  products: [
    .executable(name: "kvfsck", targets: ["kvfsck"]),
    .library(name: "KVBytes", targets: ["KVBytes"]),
    .library(name: "KVModel", targets: ["KVModel"]),
    .library(name: "KVInput", targets: ["KVInput"]),
    .library(name: "MMKVFormat", targets: ["MMKVFormat"]),
    .library(name: "FastKVFormat", targets: ["FastKVFormat"]),
    .library(name: "KVRecovery", targets: ["KVRecovery"]),
    .library(name: "KVReport", targets: ["KVReport"]),
    .library(name: "KVConversion", targets: ["KVConversion"]),
    .library(name: "ExchangeFormats", targets: ["ExchangeFormats"]),
    .library(name: "KVFixtures", targets: ["KVFixtures"]),
    .library(name: "KVToolkit", targets: ["KVToolkit"]),
  ],
  traits: [
    .default(enabledTraits: ["Encryption"]),
    .trait(
      name: "Encryption",
      description: "Encrypted stores, SHA-256 digests and hashed file names, by swift-crypto."),
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
    .target(
      name: "KVBytes",
      dependencies: ["CZlib", .product(name: "SystemPackage", package: "swift-system")],
      swiftSettings: settings + [lifetimes]),
    .target(
      name: "KVModel",
      dependencies: ["KVBytes", .product(name: "SystemPackage", package: "swift-system")],
      swiftSettings: settings),
    .target(
      name: "KVCryptography",
      dependencies: [
        "KVBytes",
        .product(
          name: "CryptoExtras", package: "swift-crypto", condition: .when(traits: ["Encryption"])),
        .product(
          name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Encryption"])),
      ],
      swiftSettings: settings),
    .target(
      name: "MMKVFormat",
      dependencies: [
        "KVModel", "KVBytes", "KVCryptography",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .target(
      name: "FastKVFormat",
      dependencies: [
        "KVModel", "KVBytes", "KVCryptography",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .target(
      name: "KVRecovery",
      dependencies: [
        "KVModel", "KVBytes", "KVCryptography",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .target(
      name: "KVInput",
      dependencies: [
        "KVModel", "KVBytes", .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .target(
      name: "KVConversion",
      dependencies: [
        "KVModel", "KVBytes", "KVRecovery",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .target(
      name: "ExchangeFormats",
      dependencies: [
        "KVModel", "KVBytes", "KVCryptography",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .target(
      name: "KVToolkit",
      dependencies: ["KVModel", "MMKVFormat", "FastKVFormat", "ExchangeFormats"],
      swiftSettings: settings),
    .target(
      name: "KVFixtures",
      dependencies: [
        "KVModel", "KVBytes", "KVCryptography", "KVInput", "MMKVFormat", "FastKVFormat",
        "KVRecovery",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .target(
      name: "KVReport",
      dependencies: [
        "KVModel", "KVBytes", "KVCryptography", "KVRecovery", "KVConversion",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "kvfsck",
      dependencies: [
        "KVBytes", "KVModel", "KVCryptography", "KVInput", "MMKVFormat", "FastKVFormat",
        "KVRecovery", "KVReport", "KVConversion", "ExchangeFormats", "KVFixtures", "KVToolkit",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .target(
      name: "KVTestSupport",
      dependencies: [
        "KVBytes", "KVModel", "KVCryptography", "KVInput", "MMKVFormat", "KVRecovery", "KVFixtures",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Tests/KVTestSupport",
      swiftSettings: settings),
    .testTarget(
      name: "KVBytesTests",
      dependencies: [
        "KVTestSupport", "KVFixtures", "KVBytes",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "MMKVFormatTests",
      dependencies: [
        "KVTestSupport", "KVFixtures", "KVInput", "MMKVFormat", "KVModel", "KVBytes",
        "KVCryptography",
        "KVRecovery",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "FastKVFormatTests",
      dependencies: [
        "KVTestSupport", "KVFixtures", "KVInput", "FastKVFormat", "KVModel", "KVBytes",
        "KVCryptography",
        "KVRecovery",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "KVRecoveryTests",
      dependencies: [
        "KVTestSupport", "KVFixtures", "KVInput", "KVRecovery", "MMKVFormat", "KVModel", "KVBytes",
        "KVCryptography",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ExchangeFormatsTests",
      dependencies: [
        "KVTestSupport", "KVFixtures", "ExchangeFormats", "KVModel", "KVBytes", "KVCryptography",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "KVConversionTests",
      dependencies: [
        "KVTestSupport", "KVConversion", "KVInput", "ExchangeFormats", "MMKVFormat", "FastKVFormat",
        "KVRecovery", "KVModel", "KVBytes",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "KVFixturesTests",
      dependencies: [
        "KVTestSupport", "KVFixtures", "MMKVFormat", "FastKVFormat", "KVRecovery", "KVModel",
        "KVBytes", "KVCryptography",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "KVReportTests",
      dependencies: [
        "KVTestSupport", "KVFixtures", "KVReport", "KVRecovery", "MMKVFormat", "KVModel", "KVBytes",
        "KVCryptography",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "KvfsckTests",
      dependencies: [
        "kvfsck", "KVToolkit", "KVModel", "ExchangeFormats",
        .product(name: "Subprocess", package: "swift-subprocess"),
        .product(name: "SystemPackage", package: "swift-system"),
        .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Encryption"])),
      ],
      swiftSettings: settings),
    .target(
      name: "FuzzChecks",
      dependencies: [
        "KVBytes", "KVInput", "KVModel", "MMKVFormat", "FastKVFormat", "KVRecovery", "KVReport",
        "ExchangeFormats", "KVFixtures", .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Tests/Fuzz/Checks",
      swiftSettings: settings),
    .testTarget(
      name: "FuzzRegressionTests", dependencies: ["FuzzChecks"], swiftSettings: settings),
    .testTarget(name: "ArchitectureTests", swiftSettings: settings),
  ]
)
