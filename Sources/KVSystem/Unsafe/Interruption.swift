import Dispatch
import KVBytes
package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Requests to stop: SIGINT, SIGTERM, SIGHUP, and a reader that has closed the pipe.
///
/// A thread of its own waits for each, so that a request is heard whatever the process is doing, and no
/// loop has to ask. The thread removes what is not complete and ends the process. It waits while a file
/// is made or named, so that none is missed. After the last file of a command has its name, a request
/// comes too late: the command is done, and ends by itself.
package enum Interruption {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// What a request to stop has to know.
  private struct State {
    /// The files and folders that are not complete.
    var temporaries: Set<FilePath> = []
    /// Whether there is a thread that waits for them.
    var isListening = false
    /// Whether the process ends by itself.
    var isHeld = false
    /// Whether a request has come since.
    var isRequested = false
    /// For whom Ctrl-C is.
    var keys = Keys.own
  }

  /// For whom Ctrl-C is.
  private enum Keys {
    /// For this process.
    case own
    /// For another program.
    case handedOver
    /// For this process, after what was pressed for the other program.
    case comingBack
  }

  // Of the process, as its signals are.
  private static let state = Guarded(State())
  /// Taken by whoever makes or names files, and by the request that ends the process.
  private static let turn = DispatchSemaphore(value: 1)
  /// Tells that what was pressed for another program has been heard.
  private static let keysAreBack = DispatchSemaphore(value: 0)

  // MARK: Ending the process

  /// Ends the process with `status` when a request arrives, from now until ``hold()``, after `words` on
  /// stderr.
  ///
  /// To be called before there is another thread. A hangup that whoever started the process has turned
  /// off, as `nohup` does, stays off.
  package static func endProcess(_ status: CInt, saying words: StaticString) {
    var waited = sigset_t()
    unsafe sigemptyset(&waited)
    for number in signals where number != SIGHUP || !isIgnored(number) {
      // A signal that is ignored need not wait until somebody takes it.
      _ = signal(number, SIG_DFL)
      unsafe sigaddset(&waited, number)
    }
    unsafe pthread_sigmask(SIG_BLOCK, &waited, nil)
    // One that has come before is heard before anything is done.
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
    // Without the thread, the signals end the process as they always do.
    if !isStarted { unsafe pthread_sigmask(SIG_UNBLOCK, &waited, nil) }
  }

  /// Waits for the signals of `set` for ever, and hands over to `stop` for each that is a request to stop.
  ///
  /// Of the signals that wait, the one with the lowest number is heard first: SIGCONT after SIGINT.
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

  /// Ends the process with `status` soon after nobody can read `stream` any more, until ``hold()``.
  ///
  /// A process that comes to its end within a tenth of a second keeps its own status.
  package static func endProcess(_ status: CInt, whenUnread stream: Terminal.Stream) {
    // Where no thread can be made, the process goes on to its own end.
    _ = start {
      // No event is asked for: that the other end is closed is told in any case.
      var request = pollfd(fd: stream.rawValue, events: 0, revents: 0)
      while unsafe poll(&request, 1, -1) < 0, errno == EINTR || errno == EAGAIN {}
      guard request.revents & Int16(POLLERR | POLLHUP) != 0 else { return }
      usleep(100_000)
      end(status, saying: "")
    }
  }

  /// Removes what is not complete and ends the process, unless it ends by itself.
  private static func end(_ status: CInt, saying words: StaticString) {
    turn.wait()
    let temporaries = state.use { state in
      state.isRequested = true
      return state.isHeld ? nil : state.temporaries
    }
    guard let temporaries else {
      turn.signal()
      return
    }
    for path in temporaries {
      // A library that is at work in a folder may put another file there.
      for _ in 0..<4 where Folder.isTaken(path) { Folder.removeTree(path) }
    }
    if words.utf8CodeUnitCount > 0, Terminal.isInteractive(.error) { clearLine() }
    unsafe _ = write(STDERR_FILENO, words.utf8Start, words.utf8CodeUnitCount)
    _exit(status)
  }

  /// Takes away a line that tells how far the work is.
  private static func clearLine() {
    let clear: StaticString = "\r\u{1b}[K"
    unsafe _ = write(STDERR_FILENO, clear.utf8Start, clear.utf8CodeUnitCount)
  }

  /// Lets the process end by itself from now on: it asks ``isRequested`` where stopping is clean.
  package static func hold() {
    turn.wait()
    state.use { $0.isHeld = true }
    turn.signal()
  }

  /// Comes back unless a request to stop is ending the process.
  ///
  /// To be called before an error is told and before the process ends by itself: a request takes away
  /// what others are at work on, and that they fail then is no error.
  package static func giveWay() {
    turn.wait()
    turn.signal()
  }

  /// Whether a request has arrived since ``hold()``.
  package static var isRequested: Bool { state.use { $0.isRequested } }

  /// Begins to leave the terminal to a program of a person's: Ctrl-C is not for this process until
  /// ``takeBack()``, and other requests to stop wait.
  static func handOver() {
    suspend()
    state.use { $0.keys = .handedOver }
  }

  /// Ends what ``handOver()`` has begun.
  ///
  /// The thread may not have heard yet what was pressed last for the other program. It hears a SIGCONT
  /// after that, whose meaning does not wait to be heard, so that none is lost.
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

  /// Hands over to `body`, which starts a program of a person's: the program gets the signals that this
  /// process waits for in a thread.
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

  // MARK: What is not complete

  /// Begins a change of names that a request to stop waits for, until ``resume()``.
  static func suspend() { turn.wait() }

  /// Ends what ``suspend()`` has begun.
  static func resume() { turn.signal() }

  /// What is at `paths` is removed by a request to stop from now on.
  ///
  /// - Precondition: Requests are suspended.
  static func add(_ paths: [FilePath]) { state.use { $0.temporaries.formUnion(paths) } }

  /// What is at `paths` stays from now on.
  static func remove(_ paths: [FilePath]) { state.use { $0.temporaries.subtract(paths) } }

  /// The work of the process is in its files from now on.
  ///
  /// - Precondition: Requests are suspended.
  static func complete() { state.use { $0.isHeld = true } }

  /// Hands over to `body`, which makes a folder at `path`; a request to stop removes it.
  package static func withTemporary<Result>(
    at path: FilePath, _ body: () throws -> Result
  ) rethrows -> Result {
    suspend()
    add([path])
    resume()
    defer { remove([path]) }
    return try body()
  }

  // MARK: Signals and threads

  /// Makes writing to a closed pipe, or past a limit of the file size, an error instead of a signal.
  package static func ignoreWriteSignals() {
    _ = signal(SIGPIPE, SIG_IGN)
    _ = signal(SIGXFSZ, SIG_IGN)
  }

  /// Runs `body` in a new thread.
  ///
  /// - Returns: Whether there could be one.
  private static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    // The thread gets no signal that others can take: it inherits the mask.
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

  /// What a thread does.
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
