import KVBytes
import KVModel
import KVRecovery
import KVSystem
import SystemPackage

extension TextReporter {
  /// Prints what was chosen where copies of a store differ, and how sure that is.
  func merged(_ result: MergeResult) {
    let count = result.choices.count
    emit(
      "\(Plural.count(result.copies.count, "copy", "copies")) merged; they differ in "
        + "\(Plural.count(count, "run", "runs")) of bytes:")
    if count > 0 { emit(Self.table(result.choices.prefix(Self.choiceLimit))) }
    if count > Self.choiceLimit {
      emit("  … and \((count - Self.choiceLimit).grouped) more")
    }
    emit(Self.verdict(on: result))
    if result.isLikely, result.uncheckedCount > 0 {
      emit(
        "No checksum covers \(Plural.count(result.uncheckedCount, "byte", "bytes")) of them.")
    }
    for (path, count) in result.added {
      emit(
        "\(Plural.count(count, "entry", "entries")) from \(TextReporter.printable(path.text)) "
          + "\(count == 1 ? "was" : "were") used")
    }
  }

  /// The most choices that are listed.
  private static let choiceLimit = 40

  private static func table(_ choices: ArraySlice<CopyChoice>) -> Columns {
    var table = Columns(["file", "offset", "bytes", "taken from", "because"])
    for choice in choices {
      table.add([
        choice.place.roleName, "0x" + String(choice.place.extent.offset, radix: 16),
        choice.place.extent.count.grouped, TextReporter.printable(choice.path.text),
        choice.basis.reason,
      ])
    }
    return table
  }

  private static func verdict(on result: MergeResult) -> String {
    let odds = result.odds.map { "by chance with odds of \($0.text)" } ?? ""
    if result.isProven {
      return "The checksums match, \(odds): the store is restored byte for byte."
    }
    if result.isLikely {
      return
        "The checksums match, \(odds): the store is probably restored byte for byte, but that is "
        + "not proven."
    }
    return result.odds == nil
      ? "No choice makes all checksums match: entries were chosen one by one."
      : "Checksums match, \(odds), but that does not prove that the whole store is right: entries "
        + "were chosen one by one."
  }
}
