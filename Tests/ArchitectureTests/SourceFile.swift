import Foundation

/// A Swift file of the package.
struct SourceFile: Sendable {
  /// The path relative to the folder that was searched.
  let path: String
  let text: String

  /// The root folder of the package.
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .path(percentEncoded: false)

  /// Returns the Swift files in `folder` of the package.
  static func all(in folder: String) throws -> [SourceFile] {
    try FileManager.default.subpathsOfDirectory(atPath: root + folder)
      // Nested packages are built in place, so hidden folders contain the sources of dependencies.
      // The steps of a tutorial are the code of an app, not of the target.
      .filter { $0.hasSuffix(".swift") && !$0.hasPrefix(".") && !$0.contains("/.") }
      .filter { !$0.contains(".docc/") }.sorted()
      .map { path in
        SourceFile(
          path: path,
          text: try String(contentsOfFile: "\(root)\(folder)/\(path)", encoding: .utf8))
      }
  }

  /// The target that the file belongs to.
  var target: String { String(path.prefix { $0 != "/" }) }

  /// The lines, without their line feeds.
  var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

  /// The modules that the file imports.
  var imports: [String] {
    lines.filter { $0.contains("import ") }.compactMap { line in
      let statement =
        /^\s*(?:@\w+\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)/
      return line.prefixMatch(of: statement).map { String($0.output.1) }
    }
  }
}
