import Foundation
import Testing

/// Checks that the contents of stores are compared byte by byte, and never as Unicode text.
///
/// `String` treats canonically equivalent strings as equal, so `Set<String>`, `[String: …]` and
/// `==` on the contents of stores lose entries. The types are found by their spelling. A comparison
/// is found by the names that contents have in the sources: the associated values and properties of
/// `Value`, and the names that readers give to a string that they have read.
struct TextComparisonTests {
  /// Collections of strings that are not the contents of stores, by file.
  ///
  /// Each has a description of its strings.
  private static let collections = [
    "KVFixtures/Crashes/CrashSample.swift": "hexadecimal",
    "KVToolkit/FormatPages.swift": "names of formats",
    "KVFixtures/Damage/AnswerKey.swift": "hexadecimal",
    "KVFixtures/Damage/Damage.swift": "names of files that a simulator has made",
    "KVFixtures/Damage/Survival.swift": "names of files that a simulator has made",
    "KVReport/Text/TextReporter.swift": "codes of findings",
    "KVReport/Text/TextReporter+Scan.swift": "codes of findings and names of formats",
    "KVReport/HTML/PageReporter.swift": "codes of findings and ids of rules",
    "KVReport/HTML/PageStore.swift": "codes of findings and ids of rules",
    "KVReport/Events/ScanTotals.swift": "codes of findings, names of formats and of verdicts",
    "KVRecovery/Diagnosis/StoreOutcome.swift": "codes of findings",
    "KVReport/SARIF/SARIFDocument.swift": "codes of findings",
    "KVReport/Expectations/ExpectedLine.swift": "names of fields, which are ASCII",
    "KVReport/Tables/TableReporter.swift": "names of our tables",
    "KVReport/CASE/CASEReport.swift": "names of our tables",
    "KVReport/LEAPP/LEAPPReport.swift": "names of our tables",
    "KVReport/LEAPP/LAVAManifest.swift": "names of our tables",
    "ExchangeFormats/SQLite/RowDatabase.swift": "names of our tables",
  ]

  /// Comparisons of such names that are not the contents of stores, each with the reason.
  private static let comparisons = [
    "if let text, let hex, text != hex": "keys, which compare by their bytes",
    "field.number == DataStoreField.text": "the number of a field",
    "text != emptyMark": "a word of a script in printable ASCII",
  ]

  @Test func noCollectionOfContentComparesTextsAsUnicodeDoes() throws {
    let found = try SourceFile.all(in: "Sources").filter { file in
      file.code.contains { Self.isCollection($0) }
    }
    #expect(found.map(\.path).sorted() == Self.collections.keys.sorted())
  }

  @Test func noContentIsComparedAsUnicodeDoes() throws {
    var left = Set(Self.comparisons.keys)
    for file in try SourceFile.all(in: "Sources") where file.path != "KVModel/ByteText.swift" {
      for line in file.code where Self.isComparison(line) {
        let allowed = Self.comparisons.keys.first { line.contains($0) }
        #expect(allowed != nil, "\(file.path): \(line)")
        if let allowed { left.remove(allowed) }
      }
    }
    #expect(left == [])
  }

  @Test("No content is escaped by characters: a quote can be one with an accent after it")
  func replacesScalars() throws {
    for file in try SourceFile.all(in: "Sources") {
      for line in file.code {
        #expect(!line.contains(/\.replacing\((?!scalar:)/), "\(file.path): \(line)")
      }
    }
  }

  @Test(arguments: [
    "var texts: Set<String> = []", "let byName: [String: Int]", "Dictionary<String, Int>()",
    "let names: Set<String?>",
  ])
  func aCollectionIsFound(line: String) {
    #expect(Self.isCollection(line))
  }

  @Test(arguments: [
    "if text == other.text {", "one.className != two.className", "member.name == wanted",
    "case (.string(let text), let other): other == text", "if !texts.contains(text) {",
    "Set(texts) == Set(others)", "name.lowercased() == other.lowercased()",
  ])
  func aComparisonIsFound(line: String) {
    #expect(Self.isComparison(line))
  }

  @Test(arguments: [
    "guard entry.key.text != nil else {", "case .string(let text): text", "if type == .string {",
    "element.name == \"string\"", "context == other",
  ])
  func otherComparisonsAreNot(line: String) {
    #expect(!Self.isComparison(line))
  }

  // Few lines contain what a regular expression needs. Searching for that first takes a tenth of
  // the time.

  private static func isCollection(_ line: some StringProtocol) -> Bool {
    guard line.range(of: "String") != nil else { return false }
    return String(line).contains(#/\bSet<String\b|\bDictionary<String\b|\[String\??: /#)
  }

  /// Returns whether the line compares contents with anything but `nil`, a literal or a case.
  private static func isComparison(_ line: some StringProtocol) -> Bool {
    guard ["== ", "!= ", ".contains("].contains(where: { line.range(of: $0) != nil }) else {
      return false
    }
    let line = String(line)
    let left = #/(?:\b(?:text|texts|className)|\bmember\.name)\)? (?:==|!=) (?!nil\b|"|\.)/#
    let right = #/ (?:==|!=) (?:[\w.$]+\.)?(?:Set\()?(?:text|texts|className)\b(?![.(\[])/#
    let element = #/\b(?:texts|names|members)\.contains\((?:text|name)\)/#
    let folded = #/\.(?:lower|upper)cased\(\) (?:==|!=) /#
    return line.contains(left) || line.contains(right) || line.contains(element)
      || line.contains(folded)
  }
}

extension SourceFile {
  /// The lines that are not comments.
  fileprivate var code: [Substring] {
    lines.filter { !$0.drop(while: \.isWhitespace).hasPrefix("//") }
  }
}
