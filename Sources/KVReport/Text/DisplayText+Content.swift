import KVBytes
import KVModel

/// The content of documents.
extension DisplayText {
  /// Returns the content of a document, to follow its value; empty if there is none.
  static func contents(_ document: ValueContent?, isWhole: Bool) -> String {
    guard let document else { return "" }
    if let media = document.media { return ", \(media.name)" }
    return ", " + parts(document.members, isWhole ? .max : 120, count: document.count)
  }

  private static func parts(
    _ members: [ValueContent.Member], _ limit: Int, count: Int
  ) -> String {
    "{"
      + some(members, limit, count: count) { member in
        let name = member.name.map { escaped($0, limit: part(limit), quotes: false) + ": " } ?? ""
        return name + words(member, limit: part(limit))
          + (member.parts.isEmpty
            ? "" : " " + parts(member.parts, limit, count: member.fullCount))
          + contents(member.document, isWhole: limit == .max)
      } + "}"
  }

  /// Returns what a part of a document is, without its own parts.
  private static func words(_ member: ValueContent.Member, limit: Int) -> String {
    let words =
      switch member.content {
      case .value(let reading): content(reading.value, count: reading.count, limit: limit)
      case .container(let kind, let count):
        escaped(kind, quotes: false) + (member.parts.isEmpty ? " of \(count)" : "")
      case .outer(let kind): "the \(escaped(kind, quotes: false)) around it"
      }
    guard !member.others.isEmpty else { return words }
    return words + " (or "
      + member.others.map { value($0, limit: limit) }.joined(separator: ", ") + ")"
  }

  /// Returns the content of a document on lines of their own, each part below what it is in.
  static func outline(of document: ValueContent) -> [String] {
    if let media = document.media { return [media.name] }
    return lines(document.members, count: document.count)
  }

  private static func lines(_ members: [ValueContent.Member], count: Int) -> [String] {
    var lines: [String] = []
    for member in members {
      let name = member.name.map { escaped($0, quotes: false) + ": " } ?? ""
      let kind =
        if case .value(let reading) = member.content { "\(reading.value.kind) " } else { "" }
      lines.append(name + kind + words(member, limit: lineLimit))
      lines += self.lines(member.parts, count: member.fullCount).map { "  " + $0 }
      guard let document = member.document else { continue }
      lines.append("  content: " + title(of: document))
      if document.media == nil { lines += outline(of: document).map { "    " + $0 } }
    }
    if count > members.count, !members.isEmpty { lines.append("… \(count.grouped) total") }
    return lines
  }

  /// The most characters of a part on a line.
  private static let lineLimit = 200

  /// Returns what kind of document it is.
  static func title(of document: ValueContent) -> String {
    document.media?.name
      ?? document.form.rawValue
      + (document.className.map { " of \(escaped($0, quotes: false))" } ?? "")
  }
}

extension ValueContent.Member {
  /// The number of parts, including those that are not in ``parts``.
  fileprivate var fullCount: Int {
    if case .container(_, let count) = content { max(count, parts.count) } else { parts.count }
  }
}
