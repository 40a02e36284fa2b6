import Foundation
import Testing

/// Checks that the libraries use only what the lowest platforms of `Package.swift` have.
///
/// A build on Linux does not check availability, so this test reads it from the interface of the
/// toolchain's own standard library. Names are compared, not resolved: a name that is declared both
/// for older and for newer systems counts as old. `span` of arrays is such a name, and has its own
/// check.
struct AvailabilityTests {
  @Test func nothingNewerThanTheLowestPlatformsIsUsed() throws {
    let newer = try NewerAPI.ofToolchain()
    let files = try SourceFile.all(in: "Sources")
    let own = Set(files.flatMap(\.declaredNames))
    let found = files.flatMap { file in
      newer.uses(in: file.text, declaredHere: own).map { "\(file.path): \($0)" }
    }
    #expect(found == [])
  }

  @Test("`span` of an array is had by storageSpan, which older systems have too")
  func noArrayIsAskedForItsSpan() throws {
    let files = try SourceFile.all(in: "Sources").filter { file in
      file.lines.contains { !$0.contains("//") && $0.contains(/\.span\b/) }
    }
    #expect(files.map(\.path) == ["KVBytes/FileImage.swift", "KVBytes/Unsafe/StorageSpan.swift"])
  }

  @Test func theManifestNamesThesePlatforms() throws {
    let manifest = try String(contentsOfFile: SourceFile.root + "Package.swift", encoding: .utf8)
    #expect(manifest.contains("platforms: [.macOS(.v\(NewerAPI.lowestMacOS)), .iOS(.v16)]"))
  }

  @Test("What is newer is found where it is used")
  func newerAPIIsSeen() throws {
    let newer = try NewerAPI.ofToolchain()
    #expect(newer.types.isSuperset(of: ["InlineArray", "UTF8Span", "UInt128"]))
    #expect(!newer.types.contains("Span") && !newer.types.contains("String"))
    let text = """
      let text = String(validating: bytes, as: UTF8.self) // UTF8Span
      let row: InlineArray<3, UInt8> = [1, 2, 3]
      """
    #expect(
      newer.uses(in: text, declaredHere: []) == ["InlineArray", "String(validating:)"])
    #expect(newer.uses(in: "let s = String(decoding: b, as: UTF8.self)", declaredHere: []) == [])
  }
}

/// The declarations of the standard library that only newer systems have.
private struct NewerAPI {
  static let lowestMacOS = 13
  /// Names for which the package uses an older declaration.
  private static let known: Set = [
    // A label in the tuples that `addingReportingOverflow` returns.
    "partialValue",
    // The member of collections is in `_StringProcessing`, since macOS 13.
    "firstRange",
  ]

  var types: Set<String> = []
  /// Initializers, by type and first label, such as `String(validating:`.
  var initializers: Set<String> = []
  var members: Set<String> = []

  /// Returns the declarations of the toolchain that runs the test.
  static func ofToolchain() throws -> NewerAPI {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["swift", "-print-target-info"]
    process.standardOutput = output
    try process.run()
    let information = try JSONDecoder().decode(
      TargetInformation.self, from: output.fileHandleForReading.readDataToEndOfFile())
    process.waitUntilExit()
    let path =
      information.paths.runtimeLibraryPaths[0] + "/Swift.swiftmodule/"
      + information.target.moduleTriple + ".swiftinterface"
    return NewerAPI(interface: try String(contentsOfFile: path, encoding: .utf8))
  }

  init(interface: String) {
    var old = NewerAPI()
    /// The open scopes: the type, and whether it is only for newer systems.
    var scopes: [(type: String?, isNewer: Bool)] = []
    var isNewer = false
    for line in interface.utf8.split(separator: UInt8(ascii: "\n")) {
      let words = Word.all(in: line)
      let first = line.first { $0 != UInt8(ascii: " ") }
      let isAttribute = first == UInt8(ascii: "@")
      if isAttribute, words.count > 2, words[0].text == "available", words[1].text == "macOS" {
        isNewer = Int(words[2].text).map { $0 > Self.lowestMacOS } ?? false
        continue
      }
      if first == UInt8(ascii: "#") || isAttribute && !words.contains(where: \.isDeclaring) {
        continue
      }
      let isHere = isNewer || scopes.contains { $0.isNewer }
      if isHere { add(words, in: scopes) } else { old.add(words, in: scopes) }
      for byte in line {
        if byte == UInt8(ascii: "{") {
          scopes.append((Self.scope(words), isHere))
        } else if byte == UInt8(ascii: "}") {
          _ = scopes.popLast()
        }
      }
      isNewer = false
    }
    types.subtract(old.types)
    initializers.subtract(old.initializers)
    members.subtract(old.members.union(Self.known))
  }

  private init() {}

  /// Returns the type that a declaration with these words declares or extends.
  private static func scope(_ words: [Word]) -> String? {
    guard let index = words.firstIndex(where: \.isType), index + 1 < words.count else { return nil }
    let isQualified = words[index + 1].text == "Swift" && index + 2 < words.count
    return words[index + (isQualified ? 2 : 1)].text
  }

  private mutating func add(_ words: [Word], in scopes: [(type: String?, isNewer: Bool)]) {
    for (word, next) in zip(words, words.dropFirst()) {
      switch word.text {
      case "struct", "class", "enum", "protocol", "actor", "typealias":
        if scopes.isEmpty { types.insert(next.text) }
        return
      case "init":
        if let owner = scopes.last(where: { $0.type != nil })?.type {
          initializers.insert("\(owner)(\(next.text):")
        }
        return
      case "func", "var", "let":
        members.insert(next.text)
        return
      default: continue
      }
    }
  }

  /// Returns the newer declarations that `text` uses, sorted, except for names that the package
  /// declares.
  func uses(in text: String, declaredHere own: Set<String>) -> [String] {
    var found: Set<String> = []
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      let words = Word.all(in: line)
      for (index, word) in words.enumerated() where !own.contains(word.text) {
        if word.isMember {
          if members.contains(word.text) { found.insert("." + word.text) }
        } else {
          if types.contains(word.text) { found.insert(word.text) }
          let label = index + 1 < words.count ? words[index + 1].text : ""
          if initializers.contains("\(word.text)(\(label):") {
            found.insert("\(word.text)(\(label):)")
          }
        }
      }
    }
    return found.sorted()
  }
}

/// A word of Swift source.
private struct Word {
  let text: String
  /// Whether the word follows a dot.
  let isMember: Bool

  /// Whether the word declares or extends a type.
  var isType: Bool {
    ["struct", "class", "enum", "protocol", "actor", "extension"].contains(text)
  }

  var isDeclaring: Bool { isType || ["func", "var", "let", "init", "typealias"].contains(text) }

  /// Returns the words of a line, up to a comment.
  static func all(in line: Substring.UTF8View) -> [Word] {
    func isLetter(_ byte: UInt8) -> Bool {
      (0x61...0x7a).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == 0x5f
    }
    var words: [Word] = []
    var index = line.startIndex
    var before: UInt8 = 0
    while index < line.endIndex {
      let byte = line[index]
      if byte == UInt8(ascii: "/"), before == UInt8(ascii: "/") { break }
      guard isLetter(byte) else {
        before = byte
        line.formIndex(after: &index)
        continue
      }
      let start = index
      while index < line.endIndex, isLetter(line[index]) { line.formIndex(after: &index) }
      words.append(
        Word(text: String(line[start..<index]) ?? "", isMember: before == UInt8(ascii: ".")))
      before = 0
    }
    return words
  }
}

private struct TargetInformation: Decodable {
  struct Target: Decodable { let moduleTriple: String }
  struct Paths: Decodable { let runtimeLibraryPaths: [String] }
  let target: Target
  let paths: Paths
}

extension SourceFile {
  /// The names that the file declares.
  fileprivate var declaredNames: [String] {
    text.utf8.split(separator: UInt8(ascii: "\n")).flatMap { line in
      let words = Word.all(in: line)
      return zip(words, words.dropFirst()).compactMap { word, next in
        word.isDeclaring || word.text == "case" ? next.text : nil
      }
    }
  }
}
