/// Prints what a command does, in one form.
///
/// A reporter takes every event and prints those that its form has a place for. A new form is a new
/// type, and no change of a command.
package protocol Reporter: AnyObject {
  // A class because what was reported earlier decides what later events print.

  /// Takes in the next event.
  func report(_ event: ReportEvent)
}

/// A reporter whose form is a whole document, written to a file when the run has ended.
package protocol DocumentReporter: Reporter {
  /// The form's name, for people.
  static var name: String { get }
  /// How each document begins, by which one of an earlier run is recognized.
  static var opening: String { get }

  /// A document by the tool's version `version`.
  init(version: String)

  /// The document of what was reported, by a run that ends with the status `exit`.
  func document(exit: Int32) -> [UInt8]
}
