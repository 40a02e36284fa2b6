import KVBytes
import KVModel
import KVSystem
package import SystemPackage

/// A path as it is shown, with its bytes if they are not UTF-8.
package struct ReportedPath: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The path as people see it, or as the user gave it.
  package let text: String
  /// The bytes; `nil` if the text has the same ones.
  let bytes: [UInt8]?

  /// Creates the path of a file.
  package init(_ path: FilePath) { self.init(path.text, at: path) }

  /// Creates the path of a file for which the user has the name `text`.
  package init(_ text: String, at path: FilePath) {
    self.text = text
    bytes = path.isUTF8 ? nil : path.shownBytes
  }

  /// Creates a path that is UTF-8.
  package init(stringLiteral text: String) {
    self.text = text
    bytes = nil
  }
}

extension ReportedPath: JSONContent {
  /// The digits of an element of an array; null for one that needs none.
  struct Digits: JSONContent {
    let content: (any JSONContent)?

    func write(to line: inout JSONLine) {
      if let content { content.write(to: &line) } else { line.null() }
    }
  }

  func write(to line: inout JSONLine) { line.text(text) }

  var hexadecimal: (any JSONContent)? { bytes.map { Hexadecimal.text($0) } }
}
