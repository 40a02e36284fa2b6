import ArgumentParser
import KVConversion
import KVModel
import KVReport

/// The options for which readings of a value are shown.
struct ReadingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The readings to show for a value without a stored type: best (the default with --json) or all, which adds fields to JSON.",
      valueName: "best|all"),
    completion: .list(Name.all(ValueDetail.Readings.self)), transform: Name.parse)
  var readings: ValueDetail.Readings?

  /// The options if none is given.
  static var unset: ReadingOptions {
    var options = ReadingOptions()
    options.readings = nil
    return options
  }
}

/// The options for hiding what a store holds from those who get the output.
struct RedactionOptions: ParsableArguments {
  @Flag(
    help: """
      Replace each value by its type, its length and a hash that is good for this output only, so that it can \
      be passed on.
      """)
  var redact = false

  @Flag(help: "Replace keys too.")
  var redactKeys = false

  /// The options if none is given.
  static var unset: RedactionOptions {
    var options = RedactionOptions()
    options.redact = false
    options.redactKeys = false
    return options
  }

  func validate() throws {
    guard isAsked else { return }
    if redaction == nil {
      throw ValidationError("--redact needs a kvfsck that was built with the trait Encryption.")
    }
  }

  /// Whether anything is to be hidden.
  var isAsked: Bool { redact || redactKeys }

  /// What is hidden; `nil` for nothing.
  var redaction: Redaction? { isAsked ? Redaction(hidingKeys: redactKeys) : nil }
}

/// The options for what the user states about the types of values.
struct TypeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("A JSON file with the types of the values.", valueName: "file"),
    completion: .file())
  var types: String?

  /// The options if none is given.
  static var unset: TypeOptions {
    var options = TypeOptions()
    options.types = nil
    return options
  }

  /// Returns the schema in the file; an empty one if no file is given.
  ///
  /// - Throws: If the file cannot be read, or names an unknown type.
  func schema() throws(ConvertFailure) -> TypeSchema { try SourceOpener.schema(inFile: types) }

  /// Notes the rules of `schema`, that in the file, that match no key of `sources`: keys are easily
  /// misspelled.
  func noteUnmatched(_ schema: TypeSchema, in sources: [ReadSource]) {
    guard types != nil, !schema.rules.isEmpty else { return }
    noteUnmatched(schema, among: sources.reduce(into: []) { $0.formUnion($1.keys) })
  }

  /// Notes the rules of `schema`, that in the file, that match none of `keys`.
  func noteUnmatched(_ schema: TypeSchema, among keys: Set<Key>) {
    guard let types, !schema.rules.isEmpty else { return }
    let rules = schema.unmatched(among: keys).map { rule in
      switch rule.subject {
      case .key(let key): "\(rule.ordinal) (\(Value.mentioned(key)))"
      case .pattern(let pattern): "\(rule.ordinal) (\(Value.quoted(pattern)))"
      }
    }
    guard !rules.isEmpty else { return }
    let some = rules.prefix(10).joined(separator: ", ") + (rules.count > 10 ? ", …" : "")
    Output.note("\(types): no key matched \(rules.count == 1 ? "rule" : "rules") \(some)")
  }

  /// Returns the schema; `nil` and the exit status, after a message, if the file cannot be used.
  func schema(_ report: Reports) -> (TypeSchema?, ExitStatus) {
    do throws(ConvertFailure) {
      return (try schema(), [])
    } catch {
      report.complain(error.message)
      return (nil, error.status)
    }
  }
}
