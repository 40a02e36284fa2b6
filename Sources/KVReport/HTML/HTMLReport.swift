package import KVSystem
package import SystemPackage

/// The report as one page of HTML.
package struct HTMLReport: ReportForm {
  /// The form's name.
  package static let name = "html"

  /// The page.
  package init() {}

  /// Writes the page.
  package func write(
    to path: FilePath, of run: ReportRun, permissions: FilePermissions,
    _ body: (any Reporter) -> Void
  ) throws(FileError) {
    var pending = PendingWrite(existing: .keep, permissions: permissions)
    do throws(StreamError<Never>) {
      try pending.stream(to: path) { stream in
        stream.write("<!DOCTYPE html>\n<html lang=\"en\"><title>kvfsck</title></html>\n")
        body(Listener())
      }
    } catch {
      switch error {
      case .file(let error): throw error
      }
    }
    try pending.commit()
  }

  private final class Listener: Reporter {
    func report(_ event: ReportEvent) {}
  }
}
