#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The program that shows text longer than the screen.
package enum Pager {
  /// The exit statuses of a shell that could not run a command.
  private static let notRun: ClosedRange<CInt> = 126...127

  /// Shows `text` with `command`, which the shell runs, and returns when it has ended.
  ///
  /// The command reads the text from its standard input and keys from the terminal, and writes to
  /// stderr. Until it ends, Ctrl-C is meant for it alone, and other requests to stop wait. The C
  /// functions are `popen` and `pclose`.
  ///
  /// - Returns: Whether the command could be run.
  package static func show(_ text: String, by command: String) -> Bool {
    Interruption.handOver()
    defer { Interruption.takeBack() }
    // As git does: less leaves short texts on the screen, passes colors through and does not clear.
    let script = "export LESS=\"${LESS-FRX}\"; { \(command)\n} >&2"
    guard let stream = unsafe Interruption.heardByOthers({ unsafe popen(script, "w") }) else {
      return false
    }
    // A short write means that the user has quit, having read enough.
    let bytes = Array(text.utf8)
    unsafe _ = fwrite(bytes, 1, bytes.count, stream)
    let status = unsafe pclose(stream)
    return !(status & 0x7f == 0 && notRun.contains(status >> 8 & 0xff))
  }
}
