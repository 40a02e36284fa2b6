import KVBytes
import KVModel
import KVSystem
import SystemPackage

/// A finding in one line, in the style of compilers.
enum FindingText {
  /// Returns `finding` as `file:offset: severity: [code] message`.
  static func line(_ finding: Finding, severity: String, in path: FilePath?) -> String {
    let path = DisplayText.path(path)
    let place = finding.extent.map { ":\(Hexadecimal.text($0.offset, digits: 1))" } ?? ""
    let message = TextReporter.printable(finding.message)
    return "\(path)\(place): \(severity): [\(finding.code)] \(message)"
  }
}
