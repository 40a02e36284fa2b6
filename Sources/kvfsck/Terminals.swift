import ArgumentParser
import KVBytes
import KVSystem

/// What the terminals can show, and what the user wants to see there.
enum Terminals {
  /// Whether text on stdout is in color.
  static var usesColor: Bool { usesColor(on: .output) }
  /// Whether text on stderr is in color.
  static var usesColorOnError: Bool { usesColor(on: .error) }

  private static func usesColor(on stream: Terminal.Stream) -> Bool {
    switch Manner.current.color {
    case .auto: Terminal.isInteractive(stream) && isWanted
    case .always: true
    case .never: false
    }
  }

  /// Returns the number of characters in a line of `stream`, from `COLUMNS` or the terminal itself;
  /// `nil` if it is not a terminal.
  ///
  /// It is at least 40: text on a narrower terminal wraps.
  static func width(of stream: Terminal.Stream) -> Int? {
    columnCount(of: stream).map { max(40, $0) }
  }

  /// Returns the number of cells in a line of `stream`, however few they are; `nil` if it is not a
  /// terminal.
  static func columnCount(of stream: Terminal.Stream) -> Int? {
    guard Terminal.isInteractive(stream) else { return nil }
    let named = ProcessEnvironment["COLUMNS"].flatMap { Int($0) }
    return named.flatMap { $0 > 0 ? $0 : nil } ?? Terminal.width(of: stream) ?? 80
  }

  /// Whether there is a user at a terminal that can move its cursor.
  static var hasScreen: Bool {
    let kind = ProcessEnvironment["TERM"] ?? ""
    return Terminal.isInteractive(.input) && Terminal.isInteractive(.output)
      && !["", "dumb", "unknown"].contains(kind)
  }

  /// Whether a line on stderr can be erased.
  static var obeyOnError: Bool {
    Terminal.isInteractive(.error) && ProcessEnvironment["TERM"] != "dumb"
  }

  /// The command that shows long texts, chosen as git does: `PAGER`, or less; `nil` if the user
  /// wants none, or the terminal cannot run one.
  static var pager: String? {
    let command = ProcessEnvironment["PAGER"] ?? "less"
    return command.isEmpty || command == "cat" || !obeyOnError ? nil : command
  }

  /// Whether the user wants color; see no-color.org: any nonempty value disables it.
  private static var isWanted: Bool {
    (ProcessEnvironment["NO_COLOR"] ?? "").isEmpty && ProcessEnvironment["TERM"] != "dumb"
  }
}
