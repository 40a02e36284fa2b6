import KVBytes
import KVCryptography
import KVSystem
import SystemPackage

/// A report as a single HTML page, which needs no other file and no network.
///
/// The values of the stores are in the page as data, compressed by zlib and encoded in base64, so
/// none of them is markup. The page's script, which a content security policy admits by its digest,
/// draws them as text.
enum HTMLReport {
  /// Writes the page.
  static func write(
    to path: FilePath, of run: ReportRun, _ body: (any Reporter) -> FilePermissions?
  ) throws(FileError) {
    try PendingWrite.writeText(to: path) { stream, _ in
      let page = PageReporter(run) { stream.write($0.html) }
      for piece in head(of: run) { stream.write(piece.html) }
      let granted = body(page)
      for piece in page.end { stream.write(piece.html) }
      stream.write(element("script", script, of: run).html)
      return granted
    }
  }

  // MARK: The frame

  private static let style = String(decoding: PackageResources.report_css, as: UTF8.self)
  private static let script = String(decoding: PackageResources.report_js, as: UTF8.self)

  private static func element(
    _ name: StaticString, _ content: String, of run: ReportRun
  ) -> Markup {
    .element(
      name, Cryptography.isAvailable ? [:] : ["nonce": nonce(of: run)], [.verbatim(content)])
  }

  /// The content security policy, which allows only the script and the style in the page.
  private static func policy(of run: ReportRun) -> String {
    "default-src 'none'; script-src \(source(script, of: run)); "
      + "style-src \(source(style, of: run)); base-uri 'none'; form-action 'none'"
  }

  private static func source(_ content: String, of run: ReportRun) -> String {
    let digest = Cryptography.sha256(Array(content.utf8))
    return "'\(digest.map { "sha256-" + Base64.text($0) } ?? "nonce-" + nonce(of: run))'"
  }

  /// Returns what marks the page's own script and style in a build without SHA-256.
  ///
  /// The number of the run is random, unless the run is to be repeated to the byte.
  private static func nonce(of run: ReportRun) -> String { Hexadecimal.text(run.id, digits: 16) }

  private static func head(of run: ReportRun) -> [Markup] {
    [
      .verbatim("<!DOCTYPE html>\n"),
      .start("html", ["lang": "en"]),
      .void("meta", ["charset": "utf-8"]),
      .void("meta", ["http-equiv": "Content-Security-Policy", "content": policy(of: run)]),
      .void("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
      .void("meta", ["name": "generator", "content": "kvfsck"]),
      .element("title", [:], [.text("kvfsck report")]),
      element("style", style, of: run),
      .element("div", ["id": "app"], []),
      // In the body, which the element before has opened: a head has no text.
      .element(
        "noscript", [:],
        [.text("This page needs JavaScript to show its data. Please allow scripts for it.")]),
    ]
  }
}
