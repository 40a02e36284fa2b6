import Dispatch
import KVBytes
import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Requests to stop: SIGINT, SIGTERM, SIGHUP, and a reader that closes the pipe.
///
/// Dedicated threads wait for them, so a request is noticed whatever the process is doing, and no
/// loop has to check. The thread removes incomplete files and ends the process. It waits while a
/// file is being created or named, so that it misses none. Once the last file of a command has its
/// name, a request has no effect: the command is done, and the process ends normally.
package enum Interruption {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// The state that a request to stop depends on.
  private struct State {
    /// The incomplete files and folders.
    var temporaries: Set<FilePath> = []
    /// The complete files and folders that are useless without what follows.
    var provisional: Set<FilePath> = []
    /// Whether a thread is waiting for signals.
    var isListening = false
    /// Whether requests no longer end the process.
    var isHeld = false
    /// Whether a request has arrived since.
    var isRequested = false
    /// What a request to stop says, if not what it said at first.
    var words: StaticString?
    /// What a request to stop does before the process ends with the status that it is given.
    var last: (@Sendable (CInt) -> Void)?
    /// Which program Ctrl-C is meant for.
    var keys = Keys.own
  }

  /// The program that Ctrl-C is meant for.
  private enum Keys {
    /// This process.
    case own
    /// Another program.
    case handedOver
    /// This process, once keys pressed for the other program have been handled.
    case comingBack
  }

  // Global, because signals concern the whole process.
  private static let state = Guarded(State())
  /// Held while files are created or named, and by the request that ends the process.
  private static let turn = DispatchSemaphore(value: 1)
  /// Signaled when keys pressed for another program have been handled.
  private static let keysAreBack = DispatchSemaphore(value: 0)

  // MARK: Ending the process

  /// Makes requests to stop end the process with `status`, until ``hold()``, after writing `words`
  /// to stderr.
  ///
  /// Call this before any other thread exists. If the parent process ignores SIGHUP, as `nohup`
  /// does, it stays ignored.
  package static func endProcess(_ status: CInt, saying words: StaticString) {
    var waited = sigset_t()
    unsafe sigemptyset(&waited)
    for number in signals where number != SIGHUP || !isIgnored(number) {
      // An ignored signal may be dropped instead of staying pending for `sigwait`.
      _ = signal(number, SIG_DFL)
      unsafe sigaddset(&waited, number)
    }
    unsafe pthread_sigmask(SIG_BLOCK, &waited, nil)
    // Handle a signal that is already pending before doing anything.
    var pending = sigset_t()
    unsafe sigpending(&pending)
    if signals.contains(where: {
      unsafe sigismember(&pending, $0) == 1 && sigismember(&waited, $0) == 1
    }) {
      end(status, saying: words)
    }
    unsafe sigaddset(&waited, SIGCONT)
    unsafe pthread_sigmask(SIG_BLOCK, &waited, nil)
    let set = waited
    let isStarted = start { listen(for: set) { end(status, saying: words) } }
    state.use { $0.isListening = isStarted }
    // Without the thread, the signals end the process by default.
    if !isStarted { unsafe pthread_sigmask(SIG_UNBLOCK, &waited, nil) }
  }

  /// Waits for the signals in `set` forever, and calls `stop` for each that is a request to stop.
  ///
  /// Pending signals are received in the order of their numbers: SIGCONT after SIGINT.
  private static func listen(for set: sigset_t, _ stop: () -> Void) {
    var set = set
    var number: CInt = 0
    while true {
      guard unsafe sigwait(&set, &number) == 0 else { continue }
      switch (number, state.use { $0.keys }) {
      case (SIGCONT, .comingBack):
        state.use { $0.keys = .own }
        keysAreBack.signal()
      case (SIGCONT, _), (SIGINT, .handedOver), (SIGINT, .comingBack): break
      default: stop()
      }
    }
  }

  /// Makes the process end with `status` soon after the reader of `stream` is gone, until
  /// ``hold()``.
  ///
  /// A process that ends normally within a tenth of a second keeps its own status.
  package static func endProcess(_ status: CInt, whenUnread stream: Terminal.Stream) {
    // If no thread can be created, the process runs to its normal end.
    _ = start {
      // No event is requested: a closed reader is always reported.
      var request = pollfd(fd: stream.rawValue, events: 0, revents: 0)
      while unsafe poll(&request, 1, -1) < 0, errno == EINTR || errno == EAGAIN {}
      guard request.revents & Int16(POLLERR | POLLHUP) != 0 else { return }
      usleep(100_000)
      end(status, saying: "")
    }
  }

  /// Removes incomplete files and ends the process, unless requests are held.
  private static func end(_ status: CInt, saying words: StaticString) {
    turn.wait()
    let (temporaries, later) = state.use { state in
      state.isRequested = true
      return (state.isHeld ? nil : state.temporaries.union(state.provisional), state.words)
    }
    guard let temporaries else {
      turn.signal()
      return
    }
    let words = words.utf8CodeUnitCount > 0 ? later ?? words : words
    for path in temporaries {
      // A library that is working in the folder may create another file there.
      for _ in 0..<4 where Folder.isTaken(path) { Folder.removeTree(path) }
    }
    if words.utf8CodeUnitCount > 0, Terminal.isInteractive(.error) { clearLine() }
    unsafe _ = write(STDERR_FILENO, words.utf8Start, words.utf8CodeUnitCount)
    state.use { $0.last }?(status)
    _exit(status)
  }

  /// Makes requests to stop call `body` with the exit status before the process ends; `nil` for
  /// nothing.
  package static func beforeEnd(_ body: (@Sendable (CInt) -> Void)?) {
    state.use { $0.last = body }
  }

  /// Erases a progress line.
  private static func clearLine() {
    let clear: StaticString = "\r\u{1b}[K"
    unsafe _ = write(STDERR_FILENO, clear.utf8Start, clear.utf8CodeUnitCount)
  }

  /// Stops requests from ending the process; it checks ``isRequested`` wherever it can stop
  /// cleanly.
  package static func hold() {
    turn.wait()
    state.use { $0.isHeld = true }
    turn.signal()
  }

  /// Makes requests to stop end the process again, with `words`, after a part of its work was
  /// written.
  ///
  /// - Returns: Whether no request has arrived since then.
  package static func goOn(saying words: StaticString) -> Bool {
    turn.wait()
    defer { turn.signal() }
    return state.use { state in
      guard !state.isRequested else { return false }
      state.isHeld = false
      state.words = words
      return true
    }
  }

  /// Makes requests to stop end the process again, with `words`, as if nothing had been done yet:
  /// what was done is no part of what comes next.
  ///
  /// - Returns: Whether no request has arrived since ``hold()``.
  package static func startAnew(saying words: StaticString) -> Bool {
    turn.wait()
    defer { turn.signal() }
    return state.use { state in
      guard !state.isRequested else { return false }
      state.isHeld = false
      state.provisional = []
      state.words = words
      return true
    }
  }

  /// Makes requests to stop write `words`, because a part of the results was written.
  package static func say(_ words: StaticString) { state.use { $0.words = words } }

  /// Blocks for good if a request to stop is ending the process; otherwise returns at once.
  ///
  /// Call this before reporting an error and before the process ends normally: a request removes
  /// files that other threads are working on, and their failures are not errors to report.
  package static func giveWay() {
    turn.wait()
    turn.signal()
  }

  /// Whether a request to stop has arrived since ``hold()``.
  package static var isRequested: Bool { state.use { $0.isRequested } }

  /// Hands the terminal over to a program the user interacts with: until ``takeBack()``, Ctrl-C is
  /// not for this process, and other requests to stop wait.
  static func handOver() {
    suspend()
    state.use { $0.keys = .handedOver }
  }

  /// Ends what ``handOver()`` began.
  ///
  /// The thread may not have received the last keys pressed for the other program yet. It receives
  /// a SIGCONT after them; waiting for that one ensures that none is taken for a request to this
  /// process.
  static func takeBack() {
    if state.use({ $0.isListening }) {
      state.use { $0.keys = .comingBack }
      _ = kill(getpid(), SIGCONT)
      keysAreBack.wait()
    } else {
      state.use { $0.keys = .own }
    }
    resume()
  }

  /// Calls `body`, which starts an interactive program, with no signals blocked, so that the
  /// program receives those that this process waits for in a thread.
  ///
  /// - Precondition: Requests are suspended.
  static func heardByOthers<Result>(_ body: () -> Result) -> Result {
    var before = sigset_t()
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    return body()
  }

  // MARK: Incomplete files

  /// Makes requests to stop wait while names change, until ``resume()``.
  static func suspend() { turn.wait() }

  /// Ends what ``suspend()`` began.
  static func resume() { turn.signal() }

  /// Makes requests to stop remove what is at `paths`.
  ///
  /// - Precondition: Requests are suspended.
  static func add(_ paths: [FilePath]) { state.use { $0.temporaries.formUnion(paths) } }

  /// Returns whether requests remove what is at `path`, or a folder that it is in.
  static func isTemporary(_ path: FilePath) -> Bool {
    state.use { $0.temporaries.contains { path.starts(with: $0) } }
  }

  /// Stops requests from removing what is at `paths`.
  static func remove(_ paths: [FilePath]) { state.use { $0.temporaries.subtract(paths) } }

  /// Makes requests to stop remove what is at `paths`, until ``complete()``.
  ///
  /// - Precondition: Requests are suspended.
  static func addProvisional(_ paths: [FilePath]) { state.use { $0.provisional.formUnion(paths) } }

  /// Marks a part of the work as done: until ``goOn(saying:)``, requests to stop no longer end the
  /// process, and never again do they remove what was provisional.
  ///
  /// - Precondition: Requests are suspended.
  static func complete() {
    state.use { state in
      state.isHeld = true
      state.provisional = []
    }
  }

  /// Calls `body`, which creates a folder at `path`, and makes requests to stop remove it until
  /// `body` returns.
  static func withTemporary<Result>(
    at path: FilePath, _ body: () throws -> Result
  ) rethrows -> Result {
    suspend()
    add([path])
    resume()
    defer { remove([path]) }
    return try body()
  }

  // MARK: Signals and threads

  /// Makes writing to a closed pipe, or past the file size limit, an error instead of a signal.
  package static func ignoreWriteSignals() {
    _ = signal(SIGPIPE, SIG_IGN)
    _ = signal(SIGXFSZ, SIG_IGN)
  }

  /// Runs `body` in a new thread.
  ///
  /// - Returns: Whether the thread could be created.
  private static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    // Signals go to other threads: the new one inherits a mask that blocks them all.
    var before = sigset_t()
    var all = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let work = unsafe Unmanaged.passRetained(Work(body: body))
    let result = unsafe pthread_create(
      &thread, nil,
      { pointer in
        #if canImport(Darwin)
          unsafe Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
        #else
          if let pointer = unsafe pointer {
            unsafe Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
          }
        #endif
        return nil
      }, work.toOpaque())
    return result == 0
  }

  /// The body of a thread.
  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private static func isIgnored(_ number: CInt) -> Bool {
    var action = sigaction()
    guard unsafe sigaction(number, nil, &action) == 0 else { return false }
    #if canImport(Darwin)
      let handler = unsafe action.__sigaction_u.__sa_handler
    #else
      let handler = unsafe action.__sigaction_handler.sa_handler
    #endif
    return unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
