import ArgumentParser
import KVBytes
import KVSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Whether what is printed may have colors.
enum Terminals {
  /// On stdout.
  static var usesColor: Bool { usesColor(on: .output) }
  /// On stderr.
  static var usesColorOnError: Bool { usesColor(on: .error) }

  private static func usesColor(on stream: Terminal.Stream) -> Bool {
    switch Manner.current.color {
    case .auto: Terminal.isInteractive(stream) && isWanted
    case .always: true
    case .never: false
    }
  }

  /// How many characters a line of `stream` has, by COLUMNS or by the terminal itself; `nil` where it is none.
  static func width(of stream: Terminal.Stream) -> Int? {
    guard Terminal.isInteractive(stream) else { return nil }
    let named = ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) }
    return max(40, named ?? Terminal.width(of: stream) ?? 80)
  }

  /// Whether there is a person, and a terminal with lines and columns.
  static var hasScreen: Bool {
    let kind = ProcessInfo.processInfo.environment["TERM"] ?? ""
    return Terminal.isInteractive(.input) && Terminal.isInteractive(.output)
      && !["", "dumb", "unknown"].contains(kind)
  }

  /// Whether a line on stderr can be taken away again.
  static var obeyOnError: Bool {
    Terminal.isInteractive(.error) && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }

  /// The command by which long texts are read, as git has it: that of PAGER, or less; `nil` where the person
  /// wants none, or the terminal cannot show one.
  static var pager: String? {
    let environment = ProcessInfo.processInfo.environment
    let command = environment["PAGER"] ?? "less"
    return command.isEmpty || command == "cat" || !obeyOnError ? nil : command
  }

  /// See no-color.org: any value that is not empty counts.
  private static var isWanted: Bool {
    let environment = ProcessInfo.processInfo.environment
    return (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }
}
