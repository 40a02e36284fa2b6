/// A document about the results of `check`, for CI services, which is written at the end of the run.
package final class CheckDocument: Reporter {
  /// A form of document.
  package struct Form: Sendable {
    /// The name of the form, for people to read.
    package let name: String
    /// The start of every document, by which a document of an earlier run is recognized.
    package let opening: String
    /// Returns the document about stores, by a version of the tool, for a run that ends with a
    /// status.
    fileprivate let text: @Sendable ([CheckedStore], _ version: String, _ exit: Int32) -> String

    /// JUnit XML.
    package static let junit = Form(name: "JUnit", opening: JUnitDocument.opening) { stores, _, _ in
      JUnitDocument(stores: stores).text
    }
    /// SARIF, for code scanning.
    package static let sarif = Form(name: "SARIF", opening: SARIFDocument.opening) {
      SARIFDocument(stores: $0, version: $1, exit: $2).text
    }
    /// Markdown, for the page of a job.
    package static let markdown = Form(name: "Markdown", opening: MarkdownDocument.opening) {
      stores, _, _ in MarkdownDocument(stores: stores).text
    }
  }

  /// The form of the document.
  package let form: Form
  private let version: String
  private var stores: [CheckedStore] = []

  /// Creates a document for the tool's `version`.
  package init(_ form: Form, version: String) {
    self.form = form
    self.version = version
  }

  /// Keeps what an event reports about the store that was begun last.
  package func report(_ event: ReportEvent) {
    if case .begun(let path) = event { return stores.append(CheckedStore(path: path.text)) }
    guard !stores.isEmpty else { return }
    stores[stores.count - 1].add(event)
  }

  /// Returns the document of what was reported, for a run that ends with the status `exit`.
  package func bytes(exit: Int32) -> [UInt8] { Array(form.text(stores, version, exit).utf8) }
}
