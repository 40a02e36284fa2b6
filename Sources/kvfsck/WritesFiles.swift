/// A command that makes files, so that its work is not done when nobody reads what it prints.
protocol WritesFiles {
  /// The exit status with which it ends then; `nil` where it goes on.
  var statusWhenUnread: ExitStatus? { get }
}

extension WritesFiles {
  var statusWhenUnread: ExitStatus? { .cancelled }
}
