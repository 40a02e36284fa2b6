import KVBytes
package import SystemPackage

/// The name of a folder in which a repair in place keeps the files that it replaces.
package enum BackupName {
  private static let infix = ".kvfsck-backup-"

  /// Returns the name of backup `number` of the store called `name`.
  package static func text(of name: String, number: Int) -> String { "\(name)\(infix)\(number)" }

  /// Returns whether `name` is one that ``text(of:number:)`` makes.
  package static func matches(_ name: FilePath.Component) -> Bool { parts(of: name) != nil }

  /// Returns what ``text(of:number:)`` makes `name` of; `nil` if it makes no such name.
  package static func parts(of name: FilePath.Component) -> (store: String, number: Int)? {
    let text = name.string
    let digits = text.utf8.reversed().prefix { (0x30...0x39).contains($0) }.reversed()
    let rest = text.dropLast(digits.count)
    guard !digits.isEmpty, rest.hasSuffix(infix) else { return nil }
    // A number of any length is one that someone may have written.
    let number = Int(digits: String(decoding: Array(digits), as: UTF8.self), radix: 10) ?? .max
    return (String(rest.dropLast(infix.count)), number)
  }
}
