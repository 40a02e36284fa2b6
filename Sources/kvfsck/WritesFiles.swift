/// A command that creates files, and so has work to do even if no one reads what it prints.
protocol WritesFiles {
  /// The exit status with which it ends if no one does; `nil` if it goes on.
  var statusWhenUnread: ExitStatus? { get }
}

extension WritesFiles {
  var statusWhenUnread: ExitStatus? { .cancelled }
}
