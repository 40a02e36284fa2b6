/// Prints the events of a command in one form.
///
/// A reporter receives every event and prints those that its form has a place for. A new form is a
/// new type and changes no command.
package protocol Reporter: AnyObject {
  // This is a class because earlier events affect what later ones print.

  /// Whether the form has a place for a note about each type that is not stored but was taken.
  var listsTypes: Bool { get }

  /// Takes in the next event.
  func report(_ event: ReportEvent)

  /// Prints what is left; no event follows.
  func finish()
}

extension Reporter {
  /// Does nothing: everything is printed when its event comes.
  package func finish() {}

  /// `true`: every note is listed.
  package var listsTypes: Bool { true }
}

/// A reporter whose form is a whole document, which is written to a file at the end of the run.
package protocol DocumentReporter: Reporter {
  /// The name of the form, for people to read.
  static var name: String { get }
  /// The start of every document, by which a document of an earlier run is recognized.
  static var opening: String { get }

  /// Creates a document for the tool's `version`.
  init(version: String)

  /// Returns the document of what was reported, for a run that ends with the status `exit`.
  func document(exit: Int32) -> [UInt8]
}
