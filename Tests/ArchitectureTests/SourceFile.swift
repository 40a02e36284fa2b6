import Foundation

/// A Swift file of the package.
struct SourceFile: Sendable {
  /// The path below the folder that was searched.
  let path: String
  let text: String

  /// The top folder of the package.
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .path(percentEncoded: false)

  /// The Swift files in `folder` of the package.
  static func all(in folder: String) throws -> [SourceFile] {
    try FileManager.default.subpathsOfDirectory(atPath: root + folder)
      // Nested packages are built where they are: what is in their hidden folders is not ours.
      // The steps of a tutorial are an app's code, not the target's.
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
