// swift-tools-version: 6.2
import PackageDescription

/// The README's example as an app would build it: a package of its own that depends on the library.
let package = Package(
  name: "example",
  platforms: [.macOS(.v13), .iOS(.v16)],
  dependencies: [.package(name: "kvfsck", path: "../..", traits: [])],
  targets: [
    .executableTarget(
      name: "Example", dependencies: [.product(name: "KVToolkit", package: "kvfsck")])
  ]
)
