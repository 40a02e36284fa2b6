package import SystemPackage

/// The name of a folder in which a repair in place keeps the files that it replaces.
package enum BackupName {
  private static let infix = ".kvfsck-backup-"

  /// Returns the name of backup `number` of the store called `name`.
  package static func text(of name: String, number: Int) -> String { "\(name)\(infix)\(number)" }

  /// Returns whether `name` is one that ``text(of:number:)`` makes.
  package static func matches(_ name: FilePath.Component) -> Bool {
    let digitCount = name.string.utf8.reversed().prefix { (0x30...0x39).contains($0) }.count
    return digitCount > 0 && name.string.dropLast(digitCount).hasSuffix(infix)
  }
}
