import KVBytes
import KVModel

/// What a member of a ``JSONObject`` can be.
protocol JSONContent {
  /// Writes the content as JSON.
  func write(to line: inout JSONLine)

  /// What the member has whose name ends in `_hex`; `nil` if there is none.
  var hexadecimal: (any JSONContent)? { get }
}

extension JSONContent {
  var hexadecimal: (any JSONContent)? { nil }
}

/// A JSON object: a line of a report, or a part of one.
///
/// Its members are written sorted by name; those that are `nil` are absent. A path that is not UTF-8
/// has a second member, `path_hex` for `path`.
struct JSONObject: JSONContent, ExpressibleByDictionaryLiteral {
  /// Null as the content of a member.
  private struct Null: JSONContent {
    func write(to line: inout JSONLine) { line.null() }
  }

  private struct Member {
    let name: String
    let content: any JSONContent
  }

  private var members: [Member]

  init(dictionaryLiteral members: (String, (any JSONContent)?)...) {
    // A scan makes an object for each store, so that copies count.
    var present: [Member] = []
    present.reserveCapacity(members.count)
    for (name, content) in members {
      guard let content else { continue }
      present.append(Member(name: name, content: content))
      // Asked of paths only, as a scan makes an object for each store.
      let kind = type(of: content)
      if kind == ReportedPath.self || kind == [ReportedPath].self, let digits = content.hexadecimal
      {
        present.append(Member(name: name + "_hex", content: digits))
      }
    }
    self.init(present)
  }

  /// Creates an object with a number for each name.
  init(_ numbers: some Sequence<(key: String, value: Int)>) {
    self.init(numbers.map { Member(name: $0.key, content: $0.value) })
  }

  private init(_ members: [Member]) {
    let isSorted = members.indices.dropFirst().allSatisfy {
      members[$0 - 1].name < members[$0].name
    }
    self.members = isSorted ? members : members.sorted { $0.name < $1.name }
  }

  /// Returns `content`, or null if there is none.
  static func orNull(_ content: (any JSONContent)?) -> any JSONContent { content ?? Null() }

  /// Adds a member, unless there is one with this name.
  mutating func add(_ name: String, _ content: some JSONContent) {
    guard !members.contains(where: { $0.name == name }) else { return }
    self = JSONObject(members + [Member(name: name, content: content)])
    if let digits = content.hexadecimal { add(name + "_hex", digits) }
  }

  /// Writes the members to an object.
  func writeMembers(to line: inout JSONLine) {
    for member in members { line.member(member.name, member.content.write) }
  }

  func write(to line: inout JSONLine) { line.object { writeMembers(to: &$0) } }

  /// The object as text.
  var text: String { JSONLine.text { write(to: &$0) } }
}

extension Int: JSONContent {
  func write(to line: inout JSONLine) { line.number(self) }
}

extension Bool: JSONContent {
  func write(to line: inout JSONLine) { line.literal(self) }
}

extension String: JSONContent {
  func write(to line: inout JSONLine) { line.text(self) }
}

extension Array: JSONContent where Element: JSONContent {
  func write(to line: inout JSONLine) { line.array(self) { $1.write(to: &$0) } }

  var hexadecimal: (any JSONContent)? {
    let all = map { ReportedPath.Digits(content: $0.hexadecimal) }
    return all.contains { $0.content != nil } ? all : nil
  }
}

extension JSONLine {
  /// Writes the member called `name` with `path`, and its bytes if it is not UTF-8.
  mutating func member(_ name: String, _ path: ReportedPath) {
    member(name, path.text)
    if let bytes = path.bytes { member(name + "_hex", hexadecimal: bytes) }
  }
}
