import KVBytes
import KVModel

/// A change of one byte.
struct BytePatch: Hashable, Sendable {
  /// The offset of the byte in the file.
  let offset: Int
  /// The mask that the byte is XORed with.
  let mask: UInt8
}

extension [BytePatch] {
  /// Returns the patches as edits of `file`.
  func edits(of file: FileRole) -> [Correction.Edit] {
    map { .change(ByteChange(file, at: $0.offset, xor: $0.mask)) }
  }

  /// The offsets of the patches and their masks, for people to read.
  var places: String {
    let limit = 12
    let named = prefix(limit).map {
      "\(Hexadecimal.text($0.offset, digits: 2)) (XOR \(Hexadecimal.text($0.mask, digits: 2)))"
    }.joined(separator: ", ")
    return named + (count > limit ? " and \(count - limit) more" : "")
  }
}

/// A log in which bytes can be changed to test whether all of it then decodes.
///
/// If a changed log gets back to a place from which the unchanged log was already tested, the
/// outcome is known. So many changes are tried in the time of a few passes. The bytes that are
/// examined are counted against a budget, which ends the trials.
struct LogTrial {
  /// The bytes of the file, changed or not.
  private(set) var bytes: [UInt8]
  private let log: Range<Int>
  private let test: AndroidPlausibility
  /// For each offset, whether the unchanged log decodes from there on: 0 unknown, 1 yes, 2 no.
  private var outcomes: [UInt8]
  /// The number of bytes that may still be examined.
  private var budget: Int

  /// Creates a trial of the log at `log` of `bytes`.
  init(_ bytes: [UInt8], _ log: Range<Int>, _ test: AndroidPlausibility, budget: Int) {
    self.bytes = bytes
    self.log = log
    self.test = test
    self.budget = budget
    outcomes = [UInt8](repeating: 0, count: log.count + 1)
    outcomes[log.count] = 1
  }

  /// Whether the budget ran out before an answer was found.
  var isExhausted: Bool { budget < 0 }

  /// Returns the start of each record up to the first that does not decode, and how far that one
  /// was read; `nil` if all decode.
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

  /// Returns whether the whole log decodes, unchanged.
  mutating func decodes() -> Bool { firstDamage() == nil }

  /// The most bytes that a record's lengths span: two before the key, a key of 255, and a length of
  /// four.
  private static let lengthReach = 2 + 255 + 4

  /// Returns whether the log decodes from the record at `start` with `patches` applied.
  ///
  /// - Precondition: no patch is before `start`.
  mutating func decodes(from start: Int, with patches: [BytePatch]) -> Bool {
    apply(patches)
    defer { apply(patches) }
    let changedEnd = (patches.last?.offset ?? start) + 1
    // Check the lengths first, as most changes make them lead nowhere.
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

  /// Returns the number of values of the byte at `offset` with which the whole log decodes, its own
  /// included.
  ///
  /// With `areBits`, only the values that differ in one bit are tried. Returns the number of all
  /// values to be tried if the budget runs out.
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

  /// Returns whether the unchanged log decodes from `offset` on.
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

  /// Returns where the record at `offset` ends; `nil` if there is no plausible record.
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
    return budget >= 0 && test.accepts(shape, bytes.storageSpan)
  }

  private mutating func apply(_ patches: [BytePatch]) {
    for patch in patches { bytes[patch.offset] ^= patch.mask }
  }
}
