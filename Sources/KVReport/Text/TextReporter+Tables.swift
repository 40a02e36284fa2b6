import KVBytes
import KVModel
import KVRecovery
import SystemPackage

extension TextReporter {
  /// Prints what the other files of `table` contain.
  func versions(of table: EntryTable) {
    guard !table.versions.isEmpty else { return }
    emit("")
    var lines = Columns(["version", "entries", "not the same here", "file"])
    for version in table.versions {
      lines.add([
        version.name, version.entries.count.grouped,
        version.entries.count(notIn: table.entries).grouped,
        TextReporter.printable(version.path.lastComponent?.string ?? "")
          + (version.isWhole ? "" : ", damaged"),
      ])
    }
    emit(lines)
  }

  /// Prints what the app's library will do, if the app will lack entries.
  func losses(of table: EntryTable) {
    let predictions = subject.predictions.all
    guard predictions.contains(where: { !$0.lostKeys.isEmpty || $0.load.outcome == .crashed })
    else { return }
    emit("")
    self.predictions(predictions, isAppAsked: false, by: table.formatName)
  }

  /// Prints the commands that read what `table` contains, and that write a new file with it.
  func advice(on table: EntryTable) {
    guard !isBrief, !subject.isStream, let path = subject.mainPath else { return }
    let readable = table.versions.filter { $0.isReadable && !$0.entries.isEmpty }
    if !readable.isEmpty {
      emit("")
      emit("To read the other version:")
      for version in readable { emit(verbatim: "  " + advice(.dump(version.path))) }
    }
    if table.strayCount > 0 {
      emit("")
      emit("To list the values, also those without an index:")
      emit(verbatim: "  " + advice(.dump(path)))
    }
    let isLoaded = subject.predictions.all.allSatisfy(\.lostKeys.isEmpty)
    guard !table.newest.isEmpty, table.verdict != .clean || !isLoaded else { return }
    emit("")
    emit("To write a new file with the newest values that can be read:")
    emit(verbatim: "  " + advice(.rewrite(path, format: table.formatName)))
  }
}
