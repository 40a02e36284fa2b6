import ArgumentParser
import KVBytes
import KVSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Whether what is printed may have colours.
enum Terminals {
  /// On stdout.
  static var usesColour: Bool { Terminal.isInteractive(.output) && isWanted }
  /// On stderr.
  static var usesColourOnError: Bool { Terminal.isInteractive(.error) && isWanted }

  /// See no-color.org: any value that is not empty counts.
  private static var isWanted: Bool {
    let environment = ProcessInfo.processInfo.environment
    return (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }
}
