import KVBytes
import KVModel
import KVRecovery
import KVSystem
import SystemPackage

/// A document in JUnit XML, for CI services: one suite with a test case for each store.
///
/// No times are measured, so equal stores produce equal documents; `time` is 0 for readers that
/// require it.
struct JUnitDocument {
  /// The start of every document.
  static let opening =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"kvfsck\""

  let stores: [CheckedStore]

  /// The document.
  var text: String {
    let counts =
      " tests=\"\(stores.count)\" failures=\"\(count(.failed))\" errors=\"\(count(.notRun))\""
      + " skipped=\"0\" time=\"0\""
    var text = "\(Self.opening)\(counts)>\n  <testsuite name=\"kvfsck check\"\(counts)>\n"
    for store in stores { text += testCase(store) }
    text += "  </testsuite>\n</testsuites>\n"
    return text
  }

  private func count(_ outcome: CheckedStore.Outcome) -> Int {
    stores.count { $0.outcome == outcome }
  }

  private func testCase(_ store: CheckedStore) -> String {
    let file = store.files.first?.path.text ?? store.path
    let opening =
      "    <testcase"
      + attribute("classname", "kvfsck.\(store.formatName ?? "not-opened")")
      + attribute("name", store.path) + attribute("file", file) + " time=\"0\""
    var children = ""
    let findings = store.findingLines
    switch store.outcome {
    case .passed: break
    case .failed:
      let lines = store.differences.map(\.message) + findings
      children += element(
        "failure", attributes(of: store, type: failureType(of: store)), lines)
    case .notRun:
      let type = store.verdict?.rawValue ?? "not-opened"
      let lines = store.obstacle.map { [$0] } ?? store.differences.map(\.message) + findings
      children += element("error", attributes(of: store, type: type), lines)
    }
    if store.outcome == .passed, !findings.isEmpty {
      children += element("system-out", "", findings)
    }
    if children.isEmpty { return opening + "/>\n" }
    return opening + ">\n" + children + "    </testcase>\n"
  }

  private func failureType(of store: CheckedStore) -> String {
    if !store.differences.isEmpty { return "unexpected" }
    // A store without damage failed because of a warning.
    return store.verdict.map { $0 == .clean ? "warning" : $0.rawValue } ?? ""
  }

  private func attributes(of store: CheckedStore, type: String) -> String {
    attribute("message", store.summary) + attribute("type", type)
  }

  private func attribute(_ name: String, _ value: String) -> String {
    " \(name)=\"\(XMLText.escaped(TextReporter.printable(value)))\""
  }

  private func element(_ name: String, _ attributes: String, _ lines: [String]) -> String {
    let text = lines.map {
      XMLText.escaped(TextReporter.printable($0), keepingLines: true)
    }.joined(separator: "\n")
    return "      <\(name)\(attributes)>\(text)</\(name)>\n"
  }
}
