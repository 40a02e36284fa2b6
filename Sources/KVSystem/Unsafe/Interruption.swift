import KVBytes

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Requests to stop: SIGINT, SIGTERM, SIGHUP, and a reader that has closed the pipe.
///
/// A process passes through two stages. As long as it only reads, ``endProcess(_:)`` lets a request end
/// it at once, whatever it is doing: nothing has to be cleaned up, and no loop has to ask. Before it
/// makes its first file it calls ``hold()``. From then on the signals are blocked, and whoever writes
/// asks ``isRequested`` where stopping is clean. There is no global state: the operating system knows
/// which signals wait.
package enum Interruption {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// Calls `handler` when a request arrives, from now until ``hold()``.
  ///
  /// The handler runs in the middle of anything. All that it may do is ``exit(_:saying:)``. A hangup
  /// that whoever started the process has turned off, as `nohup` does, stays off.
  package static func endProcess(_ handler: @escaping @convention(c) (CInt) -> Void) {
    for number in signals where number != SIGHUP || !isIgnored(number) {
      _ = signal(number, handler)
    }
    unsafe change(SIG_UNBLOCK, nil)
  }

  /// Writes `words` to stderr and ends the process, without cleaning up.
  ///
  /// Safe in a signal handler: the C functions are `write` and `_exit`.
  package static func exit(_ status: CInt, saying words: StaticString) -> Never {
    unsafe _ = write(STDERR_FILENO, words.utf8Start, words.utf8CodeUnitCount)
    _exit(status)
  }

  /// Holds the signals back from now on.
  package static func hold() { unsafe change(SIG_BLOCK, nil) }

  /// Holds the signals back while `body` runs, which must not leave anything after.
  package static func holding<Result>(_ body: () throws -> Result) rethrows -> Result {
    var before = sigset_t()
    unsafe change(SIG_BLOCK, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    return try body()
  }

  /// Whether one has arrived since ``hold()``.
  package static var isRequested: Bool {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigpending(&set)
    return signals.contains {
      unsafe sigismember(&set, $0) == 1 && ($0 != SIGHUP || !isIgnored($0))
    }
  }

  /// Ends the process with the status 0 soon after nobody can read `stream` any more, whatever it is
  /// doing then; for processes that write nowhere else.
  ///
  /// A process that comes to its end within a tenth of a second keeps its own status.
  package static func endProcess(whenUnread stream: Terminal.Stream) {
    // The thread gets none of the signals: it inherits the mask.
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
    // Where no thread can be made, the process goes on to its own end.
    unsafe _ = pthread_create(
      &thread, nil,
      { stream in
        // No event is asked for: that the other end is closed is told in any case.
        var request = pollfd(fd: CInt(Int(bitPattern: stream)), events: 0, revents: 0)
        while unsafe poll(&request, 1, -1) < 0, errno == EINTR || errno == EAGAIN {}
        guard request.revents & Int16(POLLERR | POLLHUP) != 0 else { return nil }
        usleep(100_000)
        _exit(0)
      }, UnsafeMutableRawPointer(bitPattern: Int(stream.rawValue)))
  }

  /// Makes writing to a closed pipe, or past a limit of the file size, an error instead of a signal.
  package static func ignoreWriteSignals() {
    _ = signal(SIGPIPE, SIG_IGN)
    _ = signal(SIGXFSZ, SIG_IGN)
  }

  private static func change(_ how: CInt, _ before: UnsafeMutablePointer<sigset_t>?) {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in signals { unsafe sigaddset(&set, signal) }
    unsafe pthread_sigmask(how, &set, before)
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
