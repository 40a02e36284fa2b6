import KVBytes
import KVModel

/// A byte that is tried with another value.
struct BytePatch: Hashable, Sendable {
  /// Where it is in the file.
  let offset: Int
  /// What it is XORed with.
  let mask: UInt8
}

extension [BytePatch] {
  /// The patches as edits of `file`.
  func edits(of file: FileRole) -> [Correction.Edit] {
    map { .change(ByteChange(file, at: $0.offset, xor: $0.mask)) }
  }

  /// The places of the patches for people, and what is changed there.
  var places: String {
    let limit = 12
    let named = prefix(limit).map {
      "\(Hexadecimal.text($0.offset, digits: 2)) (by \(Hexadecimal.text($0.mask, digits: 2)))"
    }.joined(separator: ", ")
    return named + (count > limit ? " and \(count - limit) more" : "")
  }
}

/// A log in which bytes can be changed to see whether all of it then decodes.
///
/// Where a changed log comes back to where a record began that was looked at before, the outcome is
/// known, so that many changes are tried in the time of a few readings. What is looked at is counted,
/// and ends the trials where it becomes too much.
struct LogTrial {
  /// The bytes of the file, changed or not.
  private(set) var bytes: [UInt8]
  private let log: Range<Int>
  private let test: RecordTest
  /// For each offset whether the unchanged log decodes from there on: 0 not known, 1 yes, 2 no.
  private var outcomes: [UInt8]
  /// How many bytes may still be looked at.
  private var budget: Int

  /// The log at `log` of `bytes`.
  init(_ bytes: [UInt8], _ log: Range<Int>, _ test: RecordTest, budget: Int) {
    self.bytes = bytes
    self.log = log
    self.test = test
    self.budget = budget
    outcomes = [UInt8](repeating: 0, count: log.count + 1)
    outcomes[log.count] = 1
  }

  /// Whether too much was looked at for an answer.
  var isExhausted: Bool { budget < 0 }

  /// Where each record begins up to the first that is none, with how far that one was looked at;
  /// `nil` where all are records.
  mutating func firstDamage() -> (starts: [Int], reach: Int)? {
    var starts: [Int] = []
    var position = log.lowerBound
    while position < log.upperBound {
      starts.append(position)
      guard let end = passedEnd(at: position) else {
        let shape = try? AndroidRecordShape.read(
          bytes.storageSpan, at: position, limit: log.upperBound
        ).get()
        let reach = shape?.range.upperBound ?? position + Self.lengthReach
        return (starts, min(reach, log.upperBound))
      }
      position = end
    }
    return nil
  }

  /// Whether the whole log decodes, unchanged.
  mutating func decodes() -> Bool { firstDamage() == nil }

  /// How many bytes of a record its lengths can take: two before the key, 255, and four.
  private static let lengthReach = 2 + 255 + 4

  /// Whether the log decodes from the record at `start` when `patches` are applied.
  ///
  /// - Precondition: no patch is before `start`.
  mutating func decodes(from start: Int, with patches: [BytePatch]) -> Bool {
    apply(patches)
    defer { apply(patches) }
    let changedEnd = (patches.last?.offset ?? start) + 1
    // The lengths first: most changes make them lead nowhere.
    var position = start
    var shapes: [AndroidRecordShape] = []
    while position < changedEnd {
      guard
        case .success(let shape) = AndroidRecordShape.read(
          bytes.storageSpan, at: position, limit: log.upperBound)
      else { return false }
      shapes.append(shape)
      position = shape.range.upperBound
    }
    guard isGood(from: position) else { return false }
    return shapes.allSatisfy { pass($0) }
  }

  /// How many values of the byte at `offset`, its own included, let the whole log decode; all that were to
  /// be tried where that would take too long to find out.
  ///
  /// With `areBits` only the values that are one bit off are tried.
  ///
  /// - Precondition: the whole log decodes as it is.
  mutating func valueCount(at offset: Int, areBits: Bool = false) -> Int {
    var start = log.lowerBound
    while case .success(let shape) = AndroidRecordShape.read(
      bytes.storageSpan, at: start, limit: log.upperBound), shape.range.upperBound <= offset
    {
      start = shape.range.upperBound
    }
    var count = 1
    let masks = areBits ? (0..<8).map { UInt8(1) << $0 } : Array(UInt8(1) ... .max)
    for mask in masks
    where decodes(from: start, with: [BytePatch(offset: offset, mask: mask)]) {
      count += 1
    }
    return isExhausted ? masks.count + 1 : count
  }

  /// Whether the unchanged log decodes from `offset` on.
  private mutating func isGood(from offset: Int) -> Bool {
    var path: [Int] = []
    var position = offset
    var outcome = outcomes[position - log.lowerBound]
    while outcome == 0 {
      path.append(position)
      guard let end = passedEnd(at: position) else {
        outcome = 2
        break
      }
      position = end
      outcome = outcomes[position - log.lowerBound]
    }
    for offset in path { outcomes[offset - log.lowerBound] = outcome }
    return outcome == 1
  }

  /// Where the record at `offset` ends, if it is one.
  private mutating func passedEnd(at offset: Int) -> Int? {
    guard
      case .success(let shape) = AndroidRecordShape.read(
        bytes.storageSpan, at: offset, limit: log.upperBound),
      pass(shape)
    else { return nil }
    return shape.range.upperBound
  }

  private mutating func pass(_ shape: AndroidRecordShape) -> Bool {
    budget -= shape.range.count
    return budget >= 0 && test.passes(shape, bytes.storageSpan)
  }

  private mutating func apply(_ patches: [BytePatch]) {
    for patch in patches { bytes[patch.offset] ^= patch.mask }
  }
}
