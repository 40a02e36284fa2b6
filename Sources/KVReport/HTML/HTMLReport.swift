import KVBytes
import KVCryptography
package import KVSystem
package import SystemPackage

/// A report as a single HTML page, which needs no other file and no network.
///
/// The values of the stores are in the page as data, compressed by zlib and encoded in base64, so
/// none of them is markup. The page's script, which a content security policy admits by its digest,
/// draws them as text.
package struct HTMLReport: ReportForm {
  /// The form's name.
  package static let name = "html"

  /// Creates the form.
  package init() {}

  /// Writes the page.
  package func write(
    to path: FilePath, of run: ReportRun, permissions: FilePermissions,
    _ body: (any Reporter) -> Bool
  ) throws(FileError) {
    var pending = PendingWrite(existing: .keep, permissions: permissions)
    var isWanted = false
    do throws(StreamError<Never>) {
      try pending.stream(to: path) { stream in
        let page = PageReporter(run) { stream.write($0.html) }
        for piece in Self.head { stream.write(piece.html) }
        isWanted = body(page)
        for piece in page.end { stream.write(piece.html) }
        stream.write(Self.element("script", Self.script).html)
      }
    } catch {
      switch error {
      case .file(let error): throw error
      }
    }
    if isWanted { try pending.commit() }
  }

  // MARK: The frame

  private static let style = String(decoding: PackageResources.report_css, as: UTF8.self)
  private static let script = String(decoding: PackageResources.report_js, as: UTF8.self)

  /// Marks the page's own script and style in a build without SHA-256.
  ///
  /// Nothing in the values can contain it, as it is random.
  private static let nonce = Base64.text((0..<16).map { _ in UInt8.random(in: 0 ... .max) })

  private static func element(_ name: StaticString, _ content: String) -> Markup {
    Cryptography.isAvailable
      ? .element(name, [:], [.verbatim(content)])
      : .element(name, ["nonce": nonce], [.verbatim(content)])
  }

  /// The content security policy, which allows only the script and the style in the page.
  private static var policy: String {
    "default-src 'none'; script-src \(source(script)); style-src \(source(style)); "
      + "base-uri 'none'; form-action 'none'"
  }

  private static func source(_ content: String) -> String {
    let digest = Cryptography.sha256(Array(content.utf8))
    return "'\(digest.map { "sha256-" + Base64.text($0) } ?? "nonce-" + nonce)'"
  }

  private static var head: [Markup] {
    [
      .verbatim("<!DOCTYPE html>\n"),
      .start("html", ["lang": "en"]),
      .void("meta", ["charset": "utf-8"]),
      .void("meta", ["http-equiv": "Content-Security-Policy", "content": policy]),
      .void("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
      .void("meta", ["name": "generator", "content": "kvfsck"]),
      .element("title", [:], [.text("kvfsck report")]),
      element("style", style),
      .element(
        "noscript", [:],
        [.text("This page needs JavaScript to show its data. Please allow scripts for it.")]),
      .element("div", ["id": "app"], []),
    ]
  }
}
