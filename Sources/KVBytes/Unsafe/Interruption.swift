#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Requests to stop (SIGINT, SIGTERM, SIGHUP), held back and asked for where stopping is clean.
///
/// The signals are blocked rather than handled: nothing runs in the middle of something else, and
/// no global state is needed to know that one has arrived.
public enum Interruption {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// Holds the signals back from now on.
  public static func hold() {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in signals { unsafe sigaddset(&set, signal) }
    unsafe sigprocmask(SIG_BLOCK, &set, nil)
  }

  /// Whether one has arrived since ``hold()``.
  public static var isRequested: Bool {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigpending(&set)
    return signals.contains { unsafe sigismember(&set, $0) == 1 }
  }

  /// Makes writing to a closed pipe, or past a limit of the file size, an error instead of a signal.
  public static func ignoreWriteSignals() {
    _ = signal(SIGPIPE, SIG_IGN)
    _ = signal(SIGXFSZ, SIG_IGN)
  }
}
