import CSQLite

/// An error that SQLite reports.
struct SQLiteError: Error, Hashable {
  /// The extended result code, which has the reason in its upper bits.
  let code: Int32
  /// SQLite's message.
  let message: String
  /// The error number of the system call that failed, or 0 if none failed.
  var systemError: Int32 = 0

  /// Whether the file does not exist or cannot be opened.
  var isUnopenable: Bool { code & 0xff == SQLITE_CANTOPEN }

  /// Whether a text is longer than the limit of the connection, which says nothing about the file.
  var isAboutSize: Bool { code & 0xff == SQLITE_TOOBIG }

  /// Whether there is no room on the disk to which SQLite writes.
  var isAboutSpace: Bool { code & 0xff == SQLITE_FULL }

  /// Creates an error.
  init(_ code: Int32, _ message: String) {
    self.code = code
    self.message = message
  }
}
