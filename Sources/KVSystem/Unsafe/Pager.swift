#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The program by which a person reads a text that is longer than the screen.
package enum Pager {
  /// With what the shell ends where it cannot run a command.
  private static let notRun: ClosedRange<CInt> = 126...127

  /// Shows `text` by `command`, which the shell runs, and comes back when it has ended.
  ///
  /// It reads the text from its standard input and keys from the terminal, and writes to where stderr
  /// goes. Until it has ended, Ctrl-C is for it alone, and other requests to stop wait. The C functions are
  /// `popen` and `pclose`.
  ///
  /// - Returns: Whether there was such a program.
  package static func show(_ text: String, by command: String) -> Bool {
    Interruption.handOver()
    defer { Interruption.takeBack() }
    // As git has it: less leaves short texts on the screen, passes colors on, and does not clear.
    let script = "export LESS=\"${LESS-FRX}\"; { \(command)\n} >&2"
    guard let stream = unsafe Interruption.heardByOthers({ unsafe popen(script, "w") }) else {
      return false
    }
    // Whoever closes the pipe has read enough.
    let bytes = Array(text.utf8)
    unsafe _ = fwrite(bytes, 1, bytes.count, stream)
    let status = unsafe pclose(stream)
    return !(status & 0x7f == 0 && notRun.contains(status >> 8 & 0xff))
  }
}
