// swift-tools-version: 6.2
import PackageDescription

/// The examples of the README and `Docs/FIXTURES.md`, built as a user would build them.
///
/// It is a separate package that depends on the libraries.
let package = Package(
  name: "example",
  platforms: [.macOS(.v13), .iOS(.v16)],
  dependencies: [.package(name: "kvfsck", path: "../..", traits: ["Encryption"])],
  targets: [
    .executableTarget(
      name: "Example", dependencies: [.product(name: "KVToolkit", package: "kvfsck")]),
    .executableTarget(
      name: "Fixtures", dependencies: [.product(name: "KVFixtures", package: "kvfsck")]),
  ]
)
