import ArgumentParser
import ExchangeFormats
import KVBytes
import KVModel
import KVSystem
import SystemPackage

/// `kvfsck serve`: runs many commands in one process, for programs.
struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Run the commands that a program sends, one after another in this process.",
    discussion: """
      Each line of standard input is a request: {"id":1,"arguments":["dump","--json","STORE"]}. The \
      answer is what that command prints, followed by a line of type end with the same id, the exit \
      status, the number of bytes printed before it, and the messages. An argument that is not text is \
      {"hex":"…"}. Commands that need a terminal or read standard input are refused. Keys in requests \
      cannot be seen by other users. Exit status: 0 at the end of the requests, 8 if they cannot be \
      read, 32 interrupted.
      """)

  func validate() throws {
    if Answer.current != nil { throw ValidationError("serve takes no requests to serve.") }
  }

  func run() throws {
    let requests = LineReader(
      try Self.takeInput(), endingIn: UInt8(ascii: "\n"), orZero: false)
    Interruption.endProcess(0, whenUnread: .output)
    let output = Output.standard
    while let line = requests.next() {
      // An answer was given when its first piece was read.
      if requests.isRest { continue }
      let isWhole = !requests.isSplit && line.count <= LineReader.lineLimit
      serve(
        isWhole ? Result { () throws(Fault) in try Request(parsing: line) } : .failure(.tooLong),
        output)
      guard !output.isClosed else { throw output.finish() }
      guard Interruption.startAnew(saying: Kvfsck.cancelled) else { throw ExitStatus.cancelled }
    }
    if let failure = requests.failure {
      StoreOpening.complain("cannot read the requests: \(failure.description.lowercased())")
      throw ExitStatus.failed
    }
  }

  /// Returns a descriptor with the requests, and leaves an empty standard input to the commands.
  private static func takeInput() throws -> FileDescriptor {
    do {
      let requests = try FileDescriptor.standardInput.duplicate()
      let device: FilePath = "/dev/null"
      let nothing = try FileDescriptor.open(device, .readOnly)
      return try nothing.closeAfter {
        _ = try nothing.duplicate(as: .standardInput)
        return requests
      }
    } catch {
      let cause = error as? Errno ?? .ioError
      StoreOpening.complain("cannot read the requests: \(cause.description.lowercased())")
      throw ExitStatus.failed
    }
  }

  // MARK: Answers

  /// Runs the command of a request, and writes the line that ends the answer.
  private func serve(_ request: Result<Request, Fault>, _ output: Output) {
    let answer = Answer()
    var id: Value?
    let status = Answer.$current.withValue(answer) { () -> ExitStatus in
      switch request {
      case .success(let request):
        id = request.id
        return Terminal.denied {
          ProcessArguments.withArguments(request.arguments) {
            Kvfsck.status(of: ProcessArguments.texts)
          }
        }
      case .failure(let fault):
        id = fault.id
        StoreOpening.complain(fault.reason)
        return .usage
      }
    }
    if answer.endsWithinLine { output.write("") }
    JSONLine.write(to: { output.write(bytes: $0) }) { line in
      line.member("bytes", answer.resultCount)
      line.member("id") { line in
        switch id {
        case .int64(let number): line.number(number)
        case .string(let text): line.text(text)
        default: line.null()
        }
      }
      line.member("messages") { line in
        line.array(answer.messages) { $0.text($1) }
      }
      line.member("status", Int(status.rawValue))
      line.member("type", "end")
    }
    output.flush()
  }

  // MARK: Requests

  /// Why a line is not a request, and its id if that is known.
  private struct Fault: Error {
    let reason: String
    var id: Value?

    static let tooLong = Fault(
      reason: "a request has more than \(LineReader.lineLimit.grouped) bytes")
  }

  /// The arguments of a command, and what its answer is called by.
  private struct Request {
    /// The largest number of arguments: the parser takes time in proportion to its square, in which no
    /// other request is served.
    private static let argumentLimit = 4096

    var id: Value?
    var arguments: [[UInt8]] = []

    /// Reads a request.
    ///
    /// - Throws: If `line` is not one; the reason names no part of it, which may be a key.
    init(parsing line: [UInt8]) throws(Fault) {
      var scanner = JSONScanner(line)
      var value: Value?
      do throws(JSONScanner.Fault) {
        value = try scanner.value()
        try scanner.end()
        if let obstacle = scanner.takeObstacle() { throw obstacle }
      } catch {
        throw Fault(reason: "a request is not JSON: byte \(error.offset): \(error.reason)")
      }
      guard case .dictionary(let members)? = value, scanner.duplicates.isEmpty else {
        throw Fault(reason: "a request is an object, with each name once")
      }
      let named = { (name: String) in
        members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
      }
      switch named("id") {
      case nil, .null: break
      case .int64, .string: id = named("id")
      default: throw Fault(reason: "the id of a request is a whole number or a string")
      }
      guard members.count == (named("id") == nil ? 1 : 2),
        case .array(let values)? = named("arguments")
      else {
        throw Fault(reason: "a request has an id and a list of arguments, and nothing else", id: id)
      }
      guard values.count <= Self.argumentLimit else {
        throw Fault(
          reason: "a request has more than \(Self.argumentLimit.grouped) arguments; name folders "
            + "instead of files, or send several requests", id: id)
      }
      for value in values {
        guard let argument = Self.argument(value), !argument.contains(0) else {
          throw Fault(
            reason: "an argument is a string or {\"hex\":\"…\"}, without zero bytes", id: id)
        }
        arguments.append(argument)
      }
    }

    private static func argument(_ value: Value) -> [UInt8]? {
      switch value {
      case .string(let text): return Array(text.utf8)
      case .dictionary(let members):
        guard members.count == 1, let member = members.first,
          member.name.utf8.elementsEqual("hex".utf8), case .string(let digits) = member.value
        else { return nil }
        return Hexadecimal.bytes(digits)
      default: return nil
      }
    }
  }
}
