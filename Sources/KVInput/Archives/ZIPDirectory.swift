import KVBytes

/// The names in the directory of a ZIP archive, which is at its end.
///
/// libarchive takes the name of a member from the header before its bytes, and passes over further
/// entries of the directory for the same bytes. Other programs take what the directory says.
///
/// Reference: APPNOTE.TXT of PKWARE, § 4.3.12 to 4.3.16 and § 4.5.3.
struct ZIPDirectory {
  /// The layout of a record: its signature and its fixed size.
  private struct Layout {
    let signature: [UInt8]
    let count: Int
    static let member = Layout(signature: Array("PK\u{3}\u{4}".utf8), count: 30)
    static let entry = Layout(signature: Array("PK\u{1}\u{2}".utf8), count: 46)
    static let end = Layout(signature: Array("PK\u{5}\u{6}".utf8), count: 22)
    static let end64 = Layout(signature: Array("PK\u{6}\u{6}".utf8), count: 56)
    static let locator64 = Layout(signature: Array("PK\u{6}\u{7}".utf8), count: 20)
  }

  /// The largest directory that is read, in bytes.
  private static let limit = 1 << 28
  private static let commentLimit = 1 << 16

  /// The members in the order of their headers, which is that of libarchive: where the header
  /// is, and the names of the entries that lead to it.
  private var members: [(offset: Int, names: [[UInt8]])] = []
  private let input: ArchiveInput

  /// Reads the directory of the archive `input`; `nil` if there is none that can be read.
  init?(_ input: ArchiveInput) {
    self.input = input
    let count = min(input.packedCount, Layout.end.count + Self.commentLimit)
    let start = input.packedCount - count
    let tail = input.bytes(at: start, count: count)
    let limit = tail.count - Layout.end.count
    guard limit >= 0,
      let place = stride(from: limit, through: 0, by: -1)
        .first(where: { tail[$0...].starts(with: Layout.end.signature) }),
      let directory = Self.directory(input, endingAt: start + place, Array(tail[place...]))
    else { return nil }
    read(input.bytes(at: directory.start, count: directory.count), shift: directory.shift)
  }

  /// Returns the names of the member number `ordinal` if they are not just the one before its bytes;
  /// otherwise returns `nil`.
  func names(of ordinal: Int) -> [[UInt8]]? {
    guard members.indices.contains(ordinal) else { return nil }
    let member = members[ordinal]
    let count = Layout.member.count
    let header = input.bytes(
      at: member.offset, count: count + (member.names.first?.count ?? 0))
    guard header.count >= count, header.starts(with: Layout.member.signature) else { return nil }
    let isOnlyOwn =
      member.names.count == 1 && header[count...].elementsEqual(member.names[0])
      && Self.number(header, at: 26, count: 2) == member.names[0].count
    return isOnlyOwn ? nil : member.names
  }

  /// Returns where the directory is whose end record `end` is at `place`, and by how much the
  /// archive is shifted, as by a program before it.
  private static func directory(
    _ input: ArchiveInput, endingAt place: Int, _ end: [UInt8]
  ) -> (start: Int, count: Int, shift: Int)? {
    var (finish, count, offset) = (
      place, number(end, at: 12, count: 4), number(end, at: 16, count: 4)
    )
    let locator = input.bytes(
      at: max(0, place - Layout.locator64.count), count: Layout.locator64.count)
    if locator.count == Layout.locator64.count, locator.starts(with: Layout.locator64.signature) {
      let place64 = number(locator, at: 8, count: 8)
      let end64 = input.bytes(at: place64, count: Layout.end64.count)
      guard end64.count == Layout.end64.count, end64.starts(with: Layout.end64.signature) else {
        return nil
      }
      (finish, count, offset) = (
        place64, number(end64, at: 40, count: 8), number(end64, at: 48, count: 8)
      )
    }
    guard count <= min(finish, limit), offset <= finish - count else { return nil }
    return (finish - count, count, finish - count - offset)
  }

  private mutating func read(_ bytes: [UInt8], shift: Int) {
    var entries: [(offset: Int, name: [UInt8])] = []
    var place = 0
    while bytes.count - place >= Layout.entry.count,
      case let entry = Array(bytes[place..<place + Layout.entry.count]),
      entry.starts(with: Layout.entry.signature)
    {
      let nameCount = Self.number(entry, at: 28, count: 2)
      let extraCount = Self.number(entry, at: 30, count: 2)
      let name = place + Layout.entry.count
      let next = name + nameCount + extraCount + Self.number(entry, at: 32, count: 2)
      guard next <= bytes.count else { break }
      let extra = bytes[name + nameCount..<name + nameCount + extraCount]
      let (offset, overflow) = Self.offset(entry, Array(extra)).addingReportingOverflow(shift)
      if !overflow { entries.append((offset, Array(bytes[name..<name + nameCount]))) }
      place = next
    }
    // The order of entries with the same place is that of the directory.
    for (_, entry) in entries.enumerated().sorted(by: {
      ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset)
    }) {
      if members.last?.offset == entry.offset {
        members[members.count - 1].names.append(entry.name)
      } else {
        members.append((entry.offset, [entry.name]))
      }
    }
  }

  /// Returns the offset of the header that `entry` leads to, which is in the extra field of large
  /// archives.
  private static func offset(_ entry: [UInt8], _ extra: [UInt8]) -> Int {
    let unset = 0xffff_ffff
    let offset = number(entry, at: 42, count: 4)
    guard offset == unset else { return offset }
    // The two sizes come first, if they are not in the entry itself.
    let skipped = [20, 24].count { number(entry, at: $0, count: 4) == unset } * 8
    var place = 0
    while extra.count - place >= 4 {
      let count = number(extra, at: place + 2, count: 2)
      if number(extra, at: place, count: 2) == 1, count >= skipped + 8,
        extra.count - place - 4 >= count
      {
        return number(extra, at: place + 4 + skipped, count: 8)
      }
      place += 4 + count
    }
    return offset
  }

  /// Returns the little-endian number at `offset`; the largest `Int` if it is larger.
  private static func number(_ bytes: [UInt8], at offset: Int, count: Int) -> Int {
    let number = bytes[offset..<offset + count].reversed().reduce(UInt64(0)) {
      $0 << 8 | UInt64($1)
    }
    return Int(exactly: number) ?? .max
  }
}
