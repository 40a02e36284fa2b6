import KVBytes
package import KVSystem
package import SystemPackage

/// The keys of encrypted stores: one for all of them, or one for each path or id of a store.
///
/// A key that the user gives for one store is the key that its app opens it with, even if it does
/// not fit. A key that is given for many stores is tried, and used only if it fits.
package struct KeyRing: Sendable {
  /// Returns the content of the file that a line names.
  package typealias Reader = ([UInt8]) throws(FileError) -> [UInt8]

  /// The key that a ring has for a store.
  package struct Choice: Sendable {
    /// The key as the app passes it; `nil` for none.
    package let key: [UInt8]?
    /// Whether the key is for many stores, some of which may need no key or another AES key size.
    package let isTried: Bool
    /// What the key may be, if nothing says which one it is.
    package private(set) var candidates: KeyCandidates?
    /// Where the key was found among candidates, for people; `nil` if it was given.
    package private(set) var find: String?
    /// The source of the choice, for a message about a store that cannot be read with it; `nil` if
    /// there was nothing to choose from.
    fileprivate let origin: String?

    /// Creates a choice of the only key.
    package init(_ key: [UInt8]?, isTried: Bool = false) {
      self.key = key
      self.isTried = isTried
      origin = nil
    }

    fileprivate init(_ key: [UInt8]?, origin: String) {
      self.key = key
      self.origin = origin
      isTried = true
    }

    /// Creates a choice among `candidates`, none of which is known to be the key.
    fileprivate init(among candidates: KeyCandidates) {
      self.init(nil, isTried: true)
      self.candidates = candidates
    }

    /// Creates the choice of a candidate, which `place` says the place of.
    init(_ key: [UInt8], found place: String) {
      self.init(key, origin: "the key was found in \(place)")
      find = place
    }

    /// Creates the choice of no candidate, for the reason `origin`.
    init(failed origin: String) { self.init(nil, origin: origin) }

    /// Returns `access` with the origin of the key added to its reason, if that is about the key.
    package func explaining(_ access: Access, _ codes: [FindingCode]) -> Access {
      guard case .unreadable(let code, let reason) = access, let origin, codes.contains(code)
      else {
        return access
      }
      return .unreadable(code: code, reason: "\(reason) (\(origin))")
    }
  }

  /// A line of a file with keys.
  fileprivate struct Rule: Sendable {
    let line: Int
    let pattern: PathPattern
    /// The pattern's text, for comparison with ids.
    let id: String
    let key: [UInt8]
  }

  private let key: [UInt8]?
  private var isTried: Bool
  private let rules: [Rule]
  /// What the keys may be; `nil` if they are given.
  private let candidates: KeyCandidates?
  /// The name of the file that the rules come from; empty if there is no file.
  private let name: String
  /// Whether each of the rules was chosen for a store; empty as long as none was.
  private let used = Guarded<[Bool]>([])

  /// Creates a ring with one key for all stores, or with none.
  ///
  /// An empty key counts as none, as it does for the engines.
  ///
  /// If `isTried` is `true`, the key is used only where it fits. Otherwise it is the key that the
  /// app opens the store with.
  package init(_ key: [UInt8]? = nil, isTried: Bool = false) {
    self.key = key.flatMap { $0.isEmpty ? nil : $0 }
    self.isTried = isTried
    rules = []
    candidates = nil
    name = ""
  }

  /// Creates a ring whose keys are among `candidates`.
  package init(among candidates: KeyCandidates) {
    key = nil
    isTried = true
    rules = []
    self.candidates = candidates
    name = ""
  }

  /// Creates a ring from the lines of `bytes`, the content of the file called `name`; `read`
  /// returns the content of a file that a line names.
  ///
  /// - Throws: When a line is malformed, or the file that it names cannot be read.
  package init(
    parsing bytes: [UInt8], named name: String, read: Reader
  ) throws(KeyRingError) {
    self.name = name
    key = nil
    candidates = nil
    isTried = true
    var rules: [Rule] = []
    let lines = KeyLine.withoutMark(bytes)
      .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, bytes) in lines.enumerated() {
      do throws(KeyRingError.Reason) {
        guard let line = try KeyLine(parsing: bytes, read: read) else { continue }
        rules.append(
          Rule(
            line: index + 1, pattern: PathPattern(line.pattern),
            id: String(decoding: line.pattern, as: UTF8.self), key: line.key))
      } catch {
        throw KeyRingError(file: name, line: index + 1, error)
      }
    }
    self.rules = rules
  }

  /// Whether the ring has no key for any store.
  package var isEmpty: Bool { key == nil && name.isEmpty }

  /// Whether there is one key, which the app opens a single store with.
  package var isOfOneStore: Bool { key != nil && !isTried }

  /// All keys, each once, in order; for what has no path that a line could match.
  package var keys: [[UInt8]] {
    var seen: Set<Key> = []
    return (key.map { [$0] } ?? rules.map(\.key)).filter {
      !$0.isEmpty && seen.insert(Key($0)).inserted
    }
  }

  /// The same keys, used only where they fit, for stores that they were not explicitly given for.
  package var tried: KeyRing {
    var ring = self
    ring.isTried = true
    return ring
  }

  /// Returns the key of the store with the paths `paths`.
  ///
  /// The key is that of the first line whose pattern matches one of the paths, or whose pattern is
  /// an id of the store according to `isID`.
  package func choice(
    for paths: [FilePath], isID: (String) -> Bool = { _ in false }
  ) -> Choice {
    if let candidates { return Choice(among: candidates) }
    guard !name.isEmpty else { return Choice(key, isTried: isTried) }
    let texts = paths.map { Array($0.text.utf8) }
    let index = rules.firstIndex { rule in
      texts.contains { rule.pattern.matches($0) } || isID(rule.id)
    }
    guard let index else { return Choice(nil, origin: "no line of \(name) matches it") }
    used.use { used in
      if used.isEmpty { used = [Bool](repeating: false, count: rules.count) }
      used[index] = true
    }
    let rule = rules[index]
    return Choice(
      rule.key.isEmpty ? nil : rule.key,
      origin: rule.key.isEmpty
        ? "\(name), line \(rule.line), gives it no key"
        : "the key is from \(name), line \(rule.line)")
  }

  /// The numbers of the lines that have matched no store so far, for people; `nil` if there are
  /// none.
  package var unusedLines: String? {
    let used = used.use { $0 }
    let unused = rules.indices.filter { used.isEmpty || !used[$0] }
    let lines = unused.map { "\(rules[$0].line)" }
    guard !lines.isEmpty else { return nil }
    let some = lines.prefix(10).joined(separator: ", ") + (lines.count > 10 ? ", …" : "")
    return "\(name): no store matched \(lines.count == 1 ? "line" : "lines") \(some)"
  }
}

/// An error in a file of keys.
///
/// It never contains the text of a line, which may be a key.
package struct KeyRingError: Error, Hashable, Sendable {
  /// The file.
  package let file: String
  /// The number of the line, from 1 on; `nil` if the error is not about a line.
  let line: Int?
  /// What is wrong.
  let reason: Reason

  /// Creates an error in a line, or in the name of the file.
  package init(file: String, line: Int? = nil, _ reason: Reason) {
    self.file = file
    self.line = line
    self.reason = reason
  }

  /// What can be wrong with a line.
  package enum Reason: Error, Hashable, Sendable {
    /// Nothing separates the store and the key.
    case noSeparator
    /// No store is named before the separator.
    case noPattern
    /// The key is not hexadecimal.
    case digits
    /// The file with the key cannot be read.
    case file(FileError)
  }

  /// What went wrong and what to do next, in a sentence for people.
  package var message: String {
    let cause =
      switch reason {
      case .noSeparator: "there is no \"=\" between the store and its key"
      case .noPattern: "there is no store before the \"=\"; ** matches all stores"
      case .digits: "hex: takes an even number of hexadecimal digits"
      case .file(let error): error.message
      }
    guard let line else { return "\(file): \(cause)" }
    return "\(file), line \(line): \(cause). A line is PATTERN = KEY"
  }
}

/// A line of a file with keys: `PATTERN = KEY`.
private struct KeyLine {
  let pattern: [UInt8]
  let key: [UInt8]

  /// Parses `line`; returns `nil` if it is empty or a comment.
  init?(
    parsing line: ArraySlice<UInt8>, read: KeyRing.Reader
  ) throws(KeyRingError.Reason) {
    let line = Self.trimmed(line)
    guard let first = line.first, first != UInt8(ascii: "#") else { return nil }
    guard let (pattern, value) = Self.parts(of: line) else {
      throw .noSeparator
    }
    guard !pattern.isEmpty else {
      throw .noPattern
    }
    self.pattern = pattern
    key = try Self.key(value, read)
  }

  /// Returns `bytes` without the byte order mark that some editors write at the start of a text.
  static func withoutMark(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes.dropFirst(3) : bytes[...]
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0d].contains(byte) }
    var bytes = bytes.drop(while: isSpace)
    while let last = bytes.last, isSpace(last) { bytes.removeLast() }
    return bytes
  }

  /// Returns the parts before and after the first `=` that is not preceded by a backslash.
  private static func parts(of line: ArraySlice<UInt8>) -> ([UInt8], ArraySlice<UInt8>)? {
    var pattern: [UInt8] = []
    var index = line.startIndex
    while index < line.endIndex {
      let next = index + 1
      if line[index] == UInt8(ascii: "\\"), next < line.endIndex,
        line[next] == UInt8(ascii: "=")
      {
        pattern.append(line[next])
        index = next + 1
        continue
      }
      if line[index] == UInt8(ascii: "=") {
        return (Array(trimmed(pattern[...])), trimmed(line[next...]))
      }
      pattern.append(line[index])
      index = next
    }
    return nil
  }

  private static func key(
    _ text: ArraySlice<UInt8>, _ read: KeyRing.Reader
  ) throws(KeyRingError.Reason) -> [UInt8] {
    if text.starts(with: "hex:".utf8) {
      let digits = String(decoding: trimmed(text.dropFirst(4)), as: UTF8.self)
      guard let bytes = Hexadecimal.writtenBytes(digits) else {
        throw .digits
      }
      return bytes
    }
    guard text.starts(with: "file:".utf8) else { return Array(text) }
    do throws(FileError) {
      return try read(Array(trimmed(text.dropFirst(5))))
    } catch {
      throw .file(error)
    }
  }
}

/// A pattern for paths, such as `**/mmkv/user_*`.
///
/// `*` matches any bytes of a name, `?` matches one byte of a name, and `**` matches any bytes,
/// including the slashes between names. A backslash makes the `*`, `?` or backslash after it
/// literal. The pattern must match the whole path, or its end after a `/` or a `!`. If the pattern
/// begins with a slash, it must match the whole path.
package struct PathPattern: Hashable, Sendable {
  private enum Token: Hashable {
    case byte(UInt8)
    /// Any byte of a name.
    case one
    /// Any bytes of a name.
    case name
    /// Any bytes.
    case any

    var canBeEmpty: Bool { self == .name || self == .any }

    func takes(_ byte: UInt8) -> Bool {
      switch self {
      case .byte(let own): own == byte
      case .one, .name: byte != UInt8(ascii: "/")
      case .any: true
      }
    }
  }

  private let tokens: [Token]
  /// The literal bytes that the path must end with, in reverse order: most patterns end in a name.
  private let ending: [UInt8]
  private let isWhole: Bool

  /// Parses the pattern `text`.
  package init(_ text: [UInt8]) {
    var tokens: [Token] = []
    var index = 0
    while index < text.count {
      let next = index + 1 < text.count ? text[index + 1] : nil
      switch (text[index], next) {
      case (UInt8(ascii: "*"), UInt8(ascii: "*")):
        tokens.append(.any)
        index += 1
      case (UInt8(ascii: "*"), _): tokens.append(.name)
      case (UInt8(ascii: "?"), _): tokens.append(.one)
      case (UInt8(ascii: "\\"), .some(let next)) where Array("*?\\".utf8).contains(next):
        tokens.append(.byte(next))
        index += 1
      default: tokens.append(.byte(text[index]))
      }
      index += 1
    }
    self.tokens = tokens
    isWhole = text.first == UInt8(ascii: "/")
    var ending: [UInt8] = []
    for case .byte(let byte) in tokens.reversed().prefix(while: { !$0.canBeEmpty && $0 != .one }) {
      ending.append(byte)
    }
    self.ending = ending
  }

  /// Returns whether the pattern matches `path`.
  ///
  /// - Complexity: O(*n* × *m*) for a path of *n* bytes and a pattern of *m* tokens, if the path
  ///   ends with the pattern's literal ending.
  package func matches(_ path: [UInt8]) -> Bool {
    guard path.reversed().starts(with: ending) else { return false }
    var live = [Bool](repeating: false, count: tokens.count + 1)
    for index in 0...path.count {
      let before = index > 0 ? path[index - 1] : UInt8(ascii: "/")
      if index == 0 || !isWhole && [UInt8(ascii: "/"), UInt8(ascii: "!")].contains(before) {
        live[0] = true
      }
      for place in tokens.indices where live[place] && tokens[place].canBeEmpty {
        live[place + 1] = true
      }
      guard index < path.count else { break }
      var next = [Bool](repeating: false, count: live.count)
      for place in tokens.indices where live[place] && tokens[place].takes(path[index]) {
        next[tokens[place].canBeEmpty ? place : place + 1] = true
      }
      live = next
    }
    return live[tokens.count]
  }
}
