import KVBytes
import KVModel

/// The objects of a binary property list that may be damaged, and what is wrong with them.
///
/// A writer puts the objects one after the other, from the magic to the table, without a gap. So the
/// table and the objects verify each other: each object ends where another begins. Where they
/// disagree, or if the table is lost, the objects are found by their own lengths. Every object but
/// the outermost is referred to.
///
/// Writers: CoreFoundation and Python's `plistlib` agree in all of this.
struct BinaryObjects {
  /// Something that is wrong, and the bytes that show it.
  struct Fault: Hashable {
    let range: Range<Int>
    let message: String
  }

  /// The size of the smallest part of a file that a disk loses: a sector.
  private static let sectorCount = 512
  private static let possibleWidths = [1, 2, 4, 8]

  /// The objects.
  private(set) var list: BinaryPropertyList
  /// What is wrong with the trailer, the table and the references.
  private(set) var faults: [Fault] = []
  /// The bytes that may be damaged.
  private(set) var damage = ByteRanges([])
  /// The zeros among them.
  private(set) var zeros = ByteRanges([])
  /// The ends of objects that their own lengths contradict, by object: where the next one begins.
  private(set) var ends: [Int: Int] = [:]
  /// Whether any entry may be damaged, because nothing tells which bytes are.
  private(set) var isUnverified = false

  /// Finds the objects in `image`; returns `nil` if there is no dictionary among them.
  init?(_ image: FileImage) {
    let bytes = image.storageSpan
    if let (stored, end) = Self.stored(bytes) {
      list = stored
      if end < bytes.count {
        faults.append(
          Fault(
            range: end..<bytes.count,
            message:
              "\((bytes.count - end).counted("byte follows", "bytes follow")) the trailer, which must be the "
              + "end of the file: the app reads nothing"))
      }
      judgeTable(bytes)
    } else if let found = Self.walk(bytes) {
      list = found.list
      isUnverified = !found.isVerified
      faults.append(
        Fault(
          range: list.objectsEnd..<bytes.count,
          message: "the trailer is missing or damaged; \(list.objectCount.grouped) objects were "
            + "found one after the other"
            + (found.isVerified ? ", as the table says" : ", but no table says that these are all"))
      )
    } else {
      return nil
    }
    judgeReferences(bytes)
    judgeZeros(bytes)
  }

  // MARK: With a table

  /// Returns the list with the last trailer of the file, and the end of that trailer.
  private static func stored(
    _ bytes: Span<UInt8>
  ) -> (list: BinaryPropertyList, end: Int)? {
    var trailer = bytes.count - BinaryPropertyList.trailerCount
    while trailer > BinaryPropertyList.firstOffset {
      // The first six bytes are not used, and a list has fewer than 2^56 objects.
      if bytes[trailer + 8] == 0, bytes[trailer + 16] == 0, bytes[trailer + 24] == 0,
        let list = BinaryPropertyList(bytes, trailerAt: trailer), list.objectCount > 0,
        list.topObject < list.objectCount, list.objectsEnd > BinaryPropertyList.firstOffset,
        list.tableRange?.upperBound == trailer
      {
        return (list, trailer + BinaryPropertyList.trailerCount)
      }
      trailer -= 1
    }
    return nil
  }

  /// Judges the table by the lengths of the objects.
  private mutating func judgeTable(_ bytes: Span<UInt8>) {
    let stored = list
    let end = stored.objectsEnd
    let offsets = (0..<stored.objectCount).map { stored.offset(of: $0, bytes) }
    let widths = [stored.referenceWidth] + Self.possibleWidths
    if let width = widths.first(where: { Self.isTiled(offsets, end, $0, bytes) }) {
      guard width != stored.referenceWidth else { return }
      replaceList(offsets, width, stored.topObject)
      faults.append(
        Fault(
          range: (stored.tableRange?.upperBound ?? end)..<bytes.count,
          message:
            "the trailer says that references have \(stored.referenceWidth.inBytes), "
            + "but they have \(width.grouped)"))
      return
    }
    var mended = MendedOffsets(offsets, end: end, stored.referenceWidth)
    mended.mend(bytes)
    replaceList(mended.offsets, stored.referenceWidth, stored.topObject)
    damage = ByteRanges(mended.damage)
    ends = mended.ends
    judgeContainers(bytes)
    if let table = stored.tableRange, mended.changedCount > 0 {
      faults.append(
        Fault(
          range: table,
          message: "\(mended.changedCount.grouped) of \(stored.objectCount.grouped) offsets in the "
            + "table are not where an object begins; such objects were found by the lengths of "
            + "those before them"))
    }
  }

  /// Adds a fault for each container whose number of elements is wrong.
  private mutating func judgeContainers(_ bytes: Span<UInt8>) {
    for (object, end) in ends.sorted(by: { $0.key < $1.key }) {
      guard let header = list.header(of: object, bytes),
        header.kind == BinaryPropertyList.Kind.array
          || header.kind == BinaryPropertyList.Kind.dictionary
      else { continue }
      faults.append(
        Fault(
          range: header.offset..<end,
          message:
            "a container claims \(header.count.grouped) elements, which is not what there is "
            + "room for before the next object"))
    }
  }

  private mutating func replaceList(_ offsets: [Int?], _ width: Int, _ top: Int) {
    list = BinaryPropertyList(
      objectsAt: offsets, end: list.objectsEnd, referenceWidth: width, topObject: top)
  }

  /// Returns whether objects at `offsets` follow each other without a gap up to `end`.
  ///
  /// Their order does not matter.
  private static func isTiled(
    _ offsets: [Int?], _ end: Int, _ width: Int, _ bytes: Span<UInt8>
  ) -> Bool {
    var known = offsets.compactMap(\.self)
    guard known.count == offsets.count else { return false }
    if !zip(known, known.dropFirst()).allSatisfy({ $0 < $1 }) { known.sort() }
    var position = BinaryPropertyList.firstOffset
    for (index, offset) in known.enumerated() {
      // Two numbers can refer to the same object.
      if index > 0, known[index - 1] == offset { continue }
      guard offset == position else { return false }
      // An object whose marker is wrong has any length.
      let next = known[(index + 1)...].first { $0 > offset } ?? end
      position = BinaryPropertyList.end(at: offset, referenceWidth: width, bytes) ?? next
    }
    return position == end
  }

  // MARK: Without a table

  private static func walk(_ bytes: Span<UInt8>) -> WalkedObjects? {
    possibleWidths.compactMap { WalkedObjects(bytes, referenceWidth: $0) }
      .max { $0.rank < $1.rank }
  }

  // MARK: References

  /// Judges the references: one to each object but the outermost, and none to that.
  ///
  /// CoreFoundation stores each text, number, date and data once. It may store a container, a
  /// reference (UID) or a Boolean several times, but then refers only to the first.
  private mutating func judgeReferences(_ bytes: Span<UInt8>) {
    guard !isUnverified else { return }
    var isReferred = list.referred(bytes)
    let top = list.topObject
    if isReferred[top], let other = list.outermostDictionary(bytes) {
      faults.append(
        Fault(
          range: list.range(of: top, bytes) ?? 0..<bytes.count,
          message:
            "object \(top.grouped), which the trailer calls the outermost, is part of another; "
            + "object \(other.grouped) is taken for the outermost"))
      replaceList(
        (0..<list.objectCount).map { list.offset(of: $0, bytes) }, list.referenceWidth, other)
    }
    isReferred[list.topObject] = true
    let lost = list.lost(bytes, isReferred)
    guard let first = lost.first else { return }
    isUnverified = true
    faults.append(
      Fault(
        range: list.range(of: first, bytes) ?? 0..<bytes.count,
        message: "no container refers to \(lost.count.grouped) of the "
          + "\(list.objectCount.grouped) objects, so a reference was changed, and any value may be "
          + "that of another key"))
  }

  // MARK: Zeros

  /// Finds zeros that no writer leaves in a row.
  ///
  /// Data may contain any number of zeros, and a number is zeros if it is 0. But zeros that begin
  /// and end with a sector of the disk are those of sectors that never reached it: in data of an
  /// app, both ends are there by chance once in 2^18 times.
  private mutating func judgeZeros(_ bytes: Span<UInt8>) {
    let runs = ZeroRuns(
      in: bytes, BinaryPropertyList.firstOffset..<min(list.objectsEnd, bytes.count)
    ).ranges
    guard !runs.isEmpty else { return }
    let starts = (0..<list.objectCount).compactMap { list.offset(of: $0, bytes) }.sorted()
    let damaged = runs.filter { run in
      guard let start = starts.last(notAfter: run.lowerBound),
        let header = BinaryPropertyList.header(at: start, bytes),
        let end = BinaryPropertyList.end(of: header, referenceWidth: list.referenceWidth),
        run.lowerBound > start, run.upperBound <= end
      else { return true }
      switch header.kind {
      case BinaryPropertyList.Kind.ascii, BinaryPropertyList.Kind.utf16: return true
      case BinaryPropertyList.Kind.data:
        return run.lowerBound % Self.sectorCount == 0 && run.upperBound % Self.sectorCount == 0
      default: return false
      }
    }
    zeros = ByteRanges(damaged)
    damage = ByteRanges(damage.all + damaged)
  }
}

/// The offsets of a table, of which some are wrong.
private struct MendedOffsets {
  private(set) var offsets: [Int?]
  private(set) var damage: [Range<Int>] = []
  private(set) var ends: [Int: Int] = [:]
  private(set) var changedCount = 0
  private let end: Int
  private let width: Int

  init(_ offsets: [Int?], end: Int, _ width: Int) {
    self.offsets = offsets
    self.end = end
    self.width = width
  }

  /// Goes through the objects in order.
  ///
  /// Where an object does not begin at the end of the one before, either the table or that object is
  /// wrong.
  mutating func mend(_ bytes: Span<UInt8>) {
    var position: Int? = BinaryPropertyList.firstOffset
    var last: (object: Int, offset: Int)?
    for object in offsets.indices {
      if offsets[object] != position || position == nil {
        mend(object, expectedAt: position, after: last, bytes)
      }
      guard let offset = offsets[object] else {
        position = nil
        continue
      }
      last = (object, offset)
      position = BinaryPropertyList.end(at: offset, referenceWidth: width, bytes)
    }
    if let last, let position, position != end {
      damage.append(last.offset..<end)
      ends[last.object] = end
    }
  }

  /// Finds where `object` begins, which is `last.object` plus one; the end of that is `position`, by
  /// its own length.
  private mutating func mend(
    _ object: Int, expectedAt position: Int?, after last: (object: Int, offset: Int)?,
    _ bytes: Span<UInt8>
  ) {
    let stated = offsets[object]
    let next = object + 1 < offsets.count ? offsets[object + 1] : end
    let isAscending = self.isAscending(stated, after: last?.offset)
    if let position, position < end,
      let own = BinaryPropertyList.end(at: position, referenceWidth: width, bytes),
      own == next || own <= end && !isAscending
    {
      offsets[object] = position
      changedCount += 1
      damage.append(range(at: position, bytes))
    } else if isAscending, let stated {
      // The table is right, and the length of the object before is wrong, or its marker.
      damage.append(range(at: stated, bytes))
      if let last {
        damage.append(last.offset..<stated)
        ends[last.object] = stated
      }
    } else {
      offsets[object] = nil
      changedCount += 1
    }
  }

  private func isAscending(_ stated: Int?, after last: Int?) -> Bool {
    guard let stated else { return false }
    return stated > last ?? BinaryPropertyList.firstOffset - 1 && stated < end
  }

  private func range(at offset: Int, _ bytes: Span<UInt8>) -> Range<Int> {
    let own = BinaryPropertyList.end(at: offset, referenceWidth: width, bytes) ?? offset + 1
    return offset..<min(max(own, offset + 1), end)
  }
}

/// Objects that were found by their own lengths, because no table was.
private struct WalkedObjects {
  let list: BinaryPropertyList
  /// Whether a table with their offsets follows them.
  let isVerified: Bool
  /// The number of entries of the outermost dictionary whose key is a text.
  private let entryCount: Int

  /// How well the objects fit the width of their references: more is better.
  var rank: (Int, Int, Int) { (isVerified ? 1 : 0, entryCount, -list.referenceWidth) }

  /// Finds the objects in `bytes`; returns `nil` if there is no dictionary among them.
  init?(_ bytes: Span<UInt8>, referenceWidth width: Int) {
    var offsets: [Int?] = []
    var position = BinaryPropertyList.firstOffset
    var isVerified = false
    while position < bytes.count {
      if Self.isTable(at: position, of: offsets, bytes, &isVerified) { break }
      guard let end = BinaryPropertyList.end(at: position, referenceWidth: width, bytes),
        end <= bytes.count
      else { break }
      offsets.append(position)
      position = end
    }
    guard !offsets.isEmpty else { return nil }
    let objects = BinaryPropertyList(
      objectsAt: offsets, end: position, referenceWidth: width, topObject: 0)
    guard let top = objects.outermostDictionary(bytes) else { return nil }
    list = BinaryPropertyList(
      objectsAt: offsets, end: position, referenceWidth: width, topObject: top)
    self.isVerified = isVerified
    entryCount = list.textKeyCount(bytes)
  }

  /// Returns whether the bytes at `start` are the table of the objects at `offsets`, at least as far
  /// as the file goes; sets `isWhole` if all of it is there.
  private static func isTable(
    at start: Int, of offsets: [Int?], _ bytes: Span<UInt8>, _ isWhole: inout Bool
  ) -> Bool {
    guard !offsets.isEmpty else { return false }
    for width in 1...8 where bytes.bigEndian(at: start, width: width) == offsets[0] {
      let count = min(offsets.count, (bytes.count - start) / width)
      guard count > 1 || offsets.count == 1 else { continue }
      let fits = (0..<count).allSatisfy {
        bytes.bigEndian(at: start + $0 * width, width: width) == offsets[$0]
      }
      if fits {
        isWhole = count == offsets.count
        return true
      }
    }
    return false
  }
}

extension BinaryPropertyList {
  /// Returns the end of the object at `offset`; `nil` if no value begins there.
  fileprivate static func end(
    at offset: Int, referenceWidth: Int, _ bytes: Span<UInt8>
  ) -> Int? {
    header(at: offset, bytes).flatMap { end(of: $0, referenceWidth: referenceWidth) }
  }

  /// Returns the bytes of `object`; `nil` if it is not known where it begins or ends.
  fileprivate func range(of object: Int, _ bytes: Span<UInt8>) -> Range<Int>? {
    guard let header = header(of: object, bytes),
      let end = Self.end(of: header, referenceWidth: referenceWidth)
    else { return nil }
    return header.offset..<min(max(end, header.start), max(header.start, bytes.count))
  }

  /// Returns for each object whether a container refers to it.
  fileprivate func referred(_ bytes: Span<UInt8>) -> [Bool] {
    var isReferred = [Bool](repeating: false, count: objectCount)
    for object in 0..<objectCount {
      guard let header = header(of: object, bytes) else { continue }
      let count: Int
      switch header.kind {
      case Kind.array: count = header.count
      case Kind.dictionary: count = 2 * header.count
      default: continue
      }
      for index in 0..<min(count, max(0, objectsEnd - header.start) / referenceWidth) {
        if let target = element(index, of: header, bytes), target < objectCount {
          isReferred[target] = true
        }
      }
    }
    return isReferred
  }

  /// Returns the objects that no container refers to, although a writer would have; `isReferred`
  /// states for each object whether one does.
  fileprivate func lost(_ bytes: Span<UInt8>, _ isReferred: [Bool]) -> [Int] {
    guard isReferred.contains(false) else { return [] }
    // The contents, among those that can be stored several times, of which one is referred to.
    var known: Set<[UInt8]> = []
    return isReferred.indices.filter { object in
      guard let header = header(of: object, bytes), let range = range(of: object, bytes) else {
        return false
      }
      switch header.kind {
      case Kind.singleton, Kind.uid, Kind.array, Kind.dictionary:
        let content = bytes.copy(of: range)
        if isReferred[object] { known.insert(content) }
        return !isReferred[object] && !known.contains(content)
      default: return !isReferred[object]
      }
    }
  }

  /// Returns the first dictionary to which no container refers; `nil` if there is none.
  fileprivate func outermostDictionary(_ bytes: Span<UInt8>) -> Int? {
    let isReferred = referred(bytes)
    return isReferred.indices.first {
      !isReferred[$0] && header(of: $0, bytes)?.kind == Kind.dictionary
    }
  }

  /// Returns how many keys of the outermost dictionary are texts that have a value.
  fileprivate func textKeyCount(_ bytes: Span<UInt8>) -> Int {
    guard let top = header(of: topObject, bytes) else { return 0 }
    let fitting = max(0, objectsEnd - top.start) / (2 * referenceWidth)
    return (0..<min(top.count, fitting)).count {
      guard let key = element($0, of: top, bytes), let kind = header(of: key, bytes)?.kind,
        let value = element(top.count + $0, of: top, bytes)
      else { return false }
      return (kind == Kind.ascii || kind == Kind.utf16) && header(of: value, bytes) != nil
    }
  }
}

extension [Int] {
  /// Returns the last element that is at most `limit`, of elements in ascending order.
  fileprivate func last(notAfter limit: Int) -> Int? {
    prefix(upTo: partitioningIndex { $0 > limit }).last
  }
}
