import Foundation

/// A manual page in `Docs/man`, in the macros of mdoc(7), made from the tool's description of a
/// command.
struct ManualPage {
  /// A command, as `kvfsck --experimental-dump-help` describes it.
  private let command: JSON
  /// The line of the page with its date.
  private let date: String

  init(of command: JSON, date: String) {
    (self.command, self.date) = (command, date)
  }

  /// The full name of the command, such as `kvfsck fixture make`.
  private var name: String { Self.name(of: command) }

  /// The name of the page's file, without the suffix.
  var title: String { name.replacing(" ", with: "-") }

  /// Returns the lines of the page.
  func lines() -> [String] {
    let commands = Self.shown(command["subcommands"])
    return [
      #".\" Made from the help: KVFSCK_WRITE_TABLES=1 swift test --filter ManualTests"#,
      date, ".Dt \(title.uppercased()) 1", ".Os", ".Sh NAME", ".Nm \(title)",
      ".Nd \(Self.macroText(Self.summary(of: command)))", ".Sh SYNOPSIS",
    ] + (commands.isEmpty ? [command] : commands).flatMap(Self.synopsis) + [".Sh DESCRIPTION"]
      + Self.text(command["discussion"]?.string ?? command["abstract"]?.string ?? "")
      + Self.options(of: command)
      + (commands.isEmpty ? [] : [".Sh COMMANDS"] + commands.flatMap(Self.section))
      + Self.status(of: command) + [".Sh SEE ALSO", ".Xr kvfsck 1"]
  }

  /// Returns the list of the commands of `command`, for the page of the tool.
  static func overview(of command: JSON) -> [String] {
    let commands = shown(command["subcommands"])
    return [".Bl -tag -width convert"]
      + commands.flatMap { command -> [String] in
        let word = command["commandName"]?.string ?? ""
        let page = ["See", ".Xr \(name(of: command).replacing(" ", with: "-")) 1 ."]
        return [".It Ic \(word)"] + text(command["abstract"]?.string ?? "")
          + (["help", "version"].contains(word) ? [] : page)
      } + [".El"]
  }
}

extension ManualPage {
  private static func name(of command: JSON) -> String {
    ((command["superCommands"]?.array ?? []) + [command["commandName"] ?? .string("")])
      .compactMap(\.string).joined(separator: " ")
  }

  /// Returns the elements that the help shows.
  private static func shown(_ list: JSON?) -> [JSON] {
    (list?.array ?? []).filter { $0["shouldDisplay"]?.bool != false }
  }

  /// Returns the text of the `.Nd` line, which has no initial capital and no final period.
  private static func summary(of command: JSON) -> String {
    let abstract = command["abstract"]?.string ?? ""
    return abstract.prefix(1).lowercased()
      + abstract.dropFirst().replacing(/\.$/, with: "").replacing("`", with: "")
  }

  private static func synopsis(of command: JSON) -> [String] {
    let arguments = shown(command["arguments"]).filter { !isGeneral($0) }
    let required = arguments.filter {
      $0["kind"] == .string("option") && $0["isOptional"] != .bool(true)
    }
    return [".Nm \"\(name(of: command))\""]
      + (arguments.contains { $0["kind"] != .string("positional") } ? [".Op Ar options"] : [])
      + required.map { ".\(flag($0))" }
      + arguments.filter { $0["kind"] == .string("positional") }.map { argument in
        let dots = argument["isRepeating"] == .bool(true) ? " ..." : ""
        let value = "Ar \(valueName(argument))\(dots)"
        return argument["isOptional"] == .bool(true) ? ".Op \(value)" : ".\(value)"
      }
  }

  /// Returns the section of a subcommand, such as `kvfsck fixture make`.
  private static func section(of command: JSON) -> [String] {
    [".Ss \(name(of: command))"] + text(command["abstract"]?.string ?? "")
      + (command["discussion"]?.string.map { [".Pp"] + text($0) } ?? [])
      + list(of: shown(command["arguments"]).filter { !isGeneral($0) })
  }

  /// Returns the lists of options, one for each title in the help.
  private static func options(of command: JSON) -> [String] {
    let arguments = shown(command["arguments"]).filter { !isGeneral($0) }
    guard !arguments.isEmpty else { return [] }
    var titles: [String] = []
    for argument in arguments where !titles.contains(title(of: argument)) {
      titles.append(title(of: argument))
    }
    return [".Sh OPTIONS"]
      + titles.sorted { $0 == "Arguments" && $1 != "Arguments" }.flatMap { title in
        (titles.count > 1 ? [".Ss \(title)"] : [])
          + list(of: arguments.filter { self.title(of: $0) == title })
      }
  }

  private static func title(of argument: JSON) -> String {
    argument["kind"] == .string("positional")
      ? "Arguments" : argument["sectionTitle"]?.string ?? "Options"
  }

  /// Returns whether every command has the argument: `--help` or `--version`.
  private static func isGeneral(_ argument: JSON) -> Bool {
    ["help", "version"].contains(argument["preferredName"]?["name"]?.string)
      && argument["kind"] == .string("flag")
  }

  /// Returns a list of options with their descriptions.
  ///
  /// Flags with the same description, such as `--aes128` and `--aes256`, share an item.
  private static func list(of arguments: [JSON]) -> [String] {
    guard !arguments.isEmpty else { return [] }
    var lines = [".Bl -tag -width Ds"]
    for (index, argument) in arguments.enumerated() {
      let before = index > 0 ? arguments[index - 1] : nil
      if argument["kind"] == .string("flag"), before?["kind"] == argument["kind"],
        before?["abstract"] == argument["abstract"],
        let item = lines.lastIndex(where: { $0.hasPrefix(".It") })
      {
        lines[item] += " | \(flag(argument))"
        continue
      }
      let isPositional = argument["kind"] == .string("positional")
      lines.append(".It " + (isPositional ? "Ar \(valueName(argument))" : flag(argument)))
      lines += text(description(of: argument))
    }
    return lines + [".El"]
  }

  private static func description(of argument: JSON) -> String {
    var sentences = [argument["abstract"]?.string ?? ""]
    if let values = argument["allValues"]?.array {
      sentences.append("Values: \(values.compactMap(\.string).joined(separator: ", ")).")
    }
    if let value = argument["defaultValue"]?.string { sentences.append("Default: \(value).") }
    return sentences.joined(separator: " ")
  }

  /// Returns the names of an option, and that of its value.
  private static func flag(_ argument: JSON) -> String {
    let names = (argument["names"]?.array ?? []).compactMap { name in
      name["name"]?.string.map { "Fl " + (name["kind"] == .string("short") ? $0 : "-\($0)") }
    }
    let value = argument["kind"] == .string("option") ? " Ar \(valueName(argument))" : ""
    return names.joined(separator: " , ") + value
  }

  private static func valueName(_ argument: JSON) -> String {
    macroText(argument["valueName"]?.string ?? "value")
  }

  /// Returns the section on the exit status, which is the end of the discussion.
  private static func status(of command: JSON) -> [String] {
    let discussion = command["discussion"]?.string ?? ""
    guard let start = discussion.firstRange(of: statusStart) else {
      return [".Sh EXIT STATUS", "See", ".Xr kvfsck 1 ."]
    }
    return [".Sh EXIT STATUS"] + prose(String(discussion[start.upperBound...]))
  }

  private static var statusStart: Regex<Substring> { #/Exit status:? /# }
}

extension ManualPage {
  /// Returns text escaped for the arguments of a macro.
  private static func macroText(_ text: String) -> String {
    escaped(text).replacing("\"", with: "\\(dq")
  }

  /// Returns a discussion up to its part on the exit status: paragraphs, and indented lines
  /// unchanged.
  private static func text(_ discussion: String) -> [String] {
    let end = discussion.firstRange(of: statusStart)?.lowerBound ?? discussion.endIndex
    return Array(
      discussion[..<end].components(separatedBy: "\n\n").filter { !$0.isEmpty }.map {
        paragraph -> [String] in
        // A list can follow its heading.
        let lines = paragraph.split(separator: "\n")
        let heading = lines.prefix { !$0.hasPrefix(" ") }.joined(separator: "\n")
        let list = lines.drop { !$0.hasPrefix(" ") }.map { escaped(String($0).trimmed) }
        return prose(heading)
          + (list.isEmpty ? [] : [".Bd -literal -offset indent"] + list + [".Ed"])
      }.joined(separator: [".Pp"]))
  }

  /// Returns sentences of at most 78 columns, each starting on its own line, as mdoc requires.
  private static func prose(_ paragraph: String) -> [String] {
    let sentences = paragraph.replacing("\n", with: " ")
      .replacing(/([.?!]) (?=[A-Z`-])/) { "\($0.output.1)\n" }
    return sentences.split(separator: "\n").flatMap { sentence -> [String] in
      var lines = [""]
      for word in escaped(String(sentence)).split(separator: " ") {
        let isFirst = lines[lines.count - 1].isEmpty
        if !isFirst, lines[lines.count - 1].count + word.count >= 78 {
          lines.append(String(word))
        } else {
          lines[lines.count - 1] += (isFirst ? "" : " ") + word
        }
      }
      return lines.filter { !$0.isEmpty }.map {
        $0.hasPrefix(".") || $0.hasPrefix("'") ? "\\&" + $0 : $0
      }
    }
  }

  /// Returns text with code in bold, and without characters that the macros cannot represent.
  private static func escaped(_ text: String) -> String {
    var isCode = false
    return text.unicodeScalars.map { scalar in
      switch scalar {
      case "\\": return "\\e"
      case "-": return "\\-"
      case "`":
        isCode.toggle()
        return isCode ? "\\fB" : "\\fR"
      case "\u{20}"..."\u{7e}": return String(scalar)
      default: return "\\[u" + String(format: "%04X", scalar.value) + "]"
      }
    }.joined()
  }
}

extension String {
  /// The string without leading spaces.
  fileprivate var trimmed: String { String(drop { $0 == " " }) }
}
