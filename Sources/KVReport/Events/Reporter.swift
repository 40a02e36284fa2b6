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
