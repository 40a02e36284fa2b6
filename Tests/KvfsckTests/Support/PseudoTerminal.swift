/// Runs the tool on a pseudo-terminal, with a Python script.
struct PseudoTerminal {
  /// The width of a line, in characters.
  var columns = 80
  /// Environment variables in addition to TERM=xterm.
  var environment: [String: String] = [:]
  /// If not `nil`, stdout is a pipe, and only stderr is on the terminal.
  ///
  /// The pipe is read after the first results have waited for this many seconds.
  var pipeDelay: Double?

  /// Runs `kvfsck` with `arguments`.
  ///
  /// The text on the terminal is in `output`, or in `errors` if stdout is a pipe.
  func run(_ arguments: [String]) async throws -> Outcome {
    let variables = environment.map { "\($0.key)=\($0.value)" }
    return try await Python.run(
      Self.script,
      ["\(columns)", pipeDelay.map { "\($0)" } ?? "", "\(variables.count)"] + variables
        + [try Tool.path()] + arguments)
  }

  /// The Python script, which exits with the status of the tool.
  private static let script = """
    import fcntl, os, pty, select, signal, struct, sys, termios, time
    columns, delay, count = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    variables, command = sys.argv[4:4 + count], sys.argv[4 + count:]
    source, sink = os.pipe()
    process, terminal = pty.fork()
    if process == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
        os.environ['TERM'] = 'xterm'
        os.environ.pop('NO_COLOR', None)
        os.environ.pop('COLUMNS', None)
        for variable in variables:
            name, value = variable.split('=', 1)
            os.environ[name] = value
        if delay:
            os.dup2(sink, 1)
        os.closerange(3, 64)
        os.execv(command[0], command)
    os.close(sink)
    shown = {terminal: b'', source: b''}
    if delay and select.select([source], [], [], 1800)[0]:
        time.sleep(float(delay))
    while True:
        ready = select.select(list(shown), [], [], 1800)[0] if len(shown) else []
        if not ready:
            os.kill(process, signal.SIGKILL)
            break
        for stream in ready:
            try:
                part = os.read(stream, 65536)
            except OSError:
                part = b''
            shown[stream] += part
            if not part and stream == terminal:
                break
        else:
            continue
        while delay:
            part = os.read(source, 65536)
            shown[source] += part
            if not part:
                break
        break
    end = os.waitpid(process, 0)[1]
    text = shown[terminal].replace(b'\\r\\n', b'\\n')
    sys.stdout.buffer.write(shown[source] if delay else text)
    sys.stderr.buffer.write(text if delay else b'')
    sys.exit(os.WEXITSTATUS(end) if os.WIFEXITED(end) else 99)
    """
}
