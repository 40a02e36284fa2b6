import KVBytes

/// The names in the directory of a ZIP archive, which is at its end.
///
/// libarchive takes the name of a member from the header before its bytes, converts it, and passes
/// over further entries of the directory for the same bytes. Other programs take what the directory
/// says.
///
/// Reference: APPNOTE.TXT of PKWARE, § 4.3.12 to 4.3.16 and § 4.5.3.
struct ZIPDirectory {
  /// The layout of a record: its signature and its fixed size.
  private struct Layout {
    let signature: [UInt8]
    let count: Int
    static let entry = Layout(signature: Array("PK\u{1}\u{2}".utf8), count: 46)
    static let end = Layout(signature: Array("PK\u{5}\u{6}".utf8), count: 22)
    static let end64 = Layout(signature: Array("PK\u{6}\u{6}".utf8), count: 56)
    static let locator64 = Layout(signature: Array("PK\u{6}\u{7}".utf8), count: 20)
  }

  /// The largest directory that is read, in bytes.
  private static let limit = 1 << 28
  private static let commentLimit = 1 << 16

  /// The members in the order of their headers, which is that of libarchive: where the header
  /// is, the names of the entries that lead to it, and whether they say that it has no bytes.
  private var members: [(offset: Int, names: [ZIPName], hasNoBytes: Bool)] = []
  private let input: ArchiveInput
  /// What libarchive must find in the directory to read all bytes, sorted by offset.
  private(set) var changes: [(offset: Int, byte: UInt8)] = []
  /// Whether nothing but an intact end of a directory without entries is in the archive.
  private(set) var isBlank = false

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
    read(directory.start, input.bytes(at: directory.start, count: directory.count), directory.shift)
    isBlank = start + place == 0 && Self.number(tail, at: place + 8, count: 4) == 0
  }

  /// Whether there are no members.
  var isEmpty: Bool { members.isEmpty }

  /// Returns the names of the member number `ordinal`, which libarchive calls `name`, and the one
  /// before its bytes if the directory does not have it.
  ///
  /// Returns `nil` if the member is not in the directory.
  func names(of ordinal: Int, named name: [UInt8]) -> (names: [[UInt8]], other: ZIPName?)? {
    guard members.indices.contains(ordinal) else { return nil }
    let member = members[ordinal]
    let count = member.names.first?.stored.count ?? 0
    let own = ZIPName(input, headerAt: member.offset, expecting: count + 64)
    if let own, !own.mayBe(name) { return nil }
    let isKnown = own.map { own in !own.isClaim || member.names.contains { $0.isSame(as: own) } }
    return (member.names.map(\.meant), isKnown ?? true ? nil : own)
  }

  /// Returns whether the member number `ordinal` has no bytes according to its size and checksum, and
  /// the header before them does not say otherwise.
  func hasNoBytes(_ ordinal: Int) -> Bool {
    guard members.indices.contains(ordinal), members[ordinal].hasNoBytes else { return false }
    let header = input.bytes(at: members[ordinal].offset, count: 30)
    guard header.count == 30, header.starts(with: ZIPName.signature) else { return true }
    // The sizes may follow the bytes.
    let isStatedLater = header[6] & 8 != 0
    return isStatedLater || [14, 22].allSatisfy { Self.number(header, at: $0, count: 4) == 0 }
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

  /// Returns the change of `entry` with which libarchive reads the bytes of its member; `nil` if it
  /// does so without one.
  ///
  /// By damage to its attributes, a member can become a folder, a device, a pipe or a link, of which
  /// the library reads none. But only files have bytes, and no link is as long as the smallest page.
  private static func change(_ entry: [UInt8], _ name: ZIPName) -> (offset: Int, byte: UInt8)? {
    let count = number(entry, at: 24, count: 4)
    guard count > 0, name.meant.last != UInt8(ascii: "/") else { return nil }
    switch entry[5] {
    case 0: return entry[38] & 0x10 != 0 ? (38, entry[38] & ~0x10) : nil
    case 3:
      let type = entry[41] >> 4
      guard ![0, 8].contains(type), type != 10 || count >= 4096 else { return nil }
      return (41, 0x80 | entry[41] & 0x0f)
    default: return nil
    }
  }

  private mutating func read(_ start: Int, _ bytes: [UInt8], _ shift: Int) {
    var entries: [(offset: Int, name: ZIPName, hasNoBytes: Bool)] = []
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
      let extra = Array(bytes[name + nameCount..<name + nameCount + extraCount])
      let (offset, overflow) = Self.offset(entry, extra).addingReportingOverflow(shift)
      let own = ZIPName(Array(bytes[name..<name + nameCount]), extra, system: entry[5])
      let hasNoBytes = [16, 24].allSatisfy { Self.number(entry, at: $0, count: 4) == 0 }
      if !overflow { entries.append((offset, own, hasNoBytes)) }
      if let change = Self.change(entry, own) {
        changes.append((start + place + change.offset, change.byte))
      }
      place = next
    }
    // The order of entries with the same place is that of the directory.
    for (_, entry) in entries.enumerated().sorted(by: {
      ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset)
    }) {
      if members.last?.offset == entry.offset {
        members[members.count - 1].names.append(entry.name)
        members[members.count - 1].hasNoBytes =
          members[members.count - 1].hasNoBytes && entry.hasNoBytes
      } else {
        members.append((entry.offset, [entry.name], entry.hasNoBytes))
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
    guard let field = ZIPName.field(1, in: extra), field.count >= skipped + 8 else {
      return offset
    }
    return number(Array(field), at: skipped, count: 8)
  }

  private static func number(_ bytes: [UInt8], at offset: Int, count: Int) -> Int {
    ZIPName.number(bytes, at: offset, count: count)
  }
}
