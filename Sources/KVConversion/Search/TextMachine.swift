import KVBytes

/// A machine that runs a program over texts, and follows all its branches at once.
///
/// It decodes the text as it goes: nothing is copied, and the ranges of matches are those of bytes.
struct TextMachine {
  /// The number of bytes after a match in which a branch that is preferred may still match.
  ///
  /// Without a limit, the time for all matches would grow with the square of the text.
  private static let patience = 1 << 8

  private let program: TextProgram
  private let encoding: SearchMatch.Encoding
  private var threads: ThreadList
  private var next: ThreadList

  /// Creates a machine for texts in `encoding`.
  init(_ program: TextProgram, for encoding: SearchMatch.Encoding) {
    self.program = program
    self.encoding = encoding
    threads = ThreadList(program.instructions.count)
    next = threads
  }

  /// Returns the range of the leftmost match in `text`; of several, the one whose branches come
  /// first.
  ///
  /// - Complexity: O(`text.count` × number of instructions).
  mutating func firstMatch(in text: Span<UInt8>) -> Range<Int>? {
    var place = Place(in: text, encoding)
    return nextMatch(in: text, from: &place, patience: text.count)
  }

  /// Returns the first `limit` matches in `text` that have at least `leastCount` bytes.
  ///
  /// The next match begins after the end of the one before it. One that could be longer only by
  /// more than ``patience`` bytes stays short.
  ///
  /// - Precondition: `leastCount` is at least 1.
  /// - Complexity: O(`text.count` × number of instructions), and ``patience`` for each match.
  mutating func matches(
    in text: Span<UInt8>, atLeast leastCount: Int, limit: Int
  ) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var place = Place(in: text, encoding)
    while ranges.count < limit,
      let range = nextMatch(
        in: text, from: &place, atLeast: leastCount, patience: Self.patience)
    { ranges.append(range) }
    return ranges
  }

  /// Returns the leftmost match from `place` on, which is moved to its end.
  private mutating func nextMatch(
    in text: Span<UInt8>, from place: inout Place, atLeast leastCount: Int = 0, patience: Int
  ) -> Range<Int>? {
    threads.removeAll()
    var found: (range: Range<Int>, end: Place)?
    while true {
      if let found {
        guard !threads.threads.isEmpty, place.offset - found.end.offset <= patience else { break }
      } else {
        // Most scalars begin no match.
        while threads.threads.isEmpty, let scalar = place.after, !program.mayBegin(with: scalar) {
          place = place.following(in: text, encoding)
        }
        follow(0, from: place.offset, at: place, &threads)
      }
      next.removeAll()
      let following = place.following(in: text, encoding)
      step: for thread in threads.threads {
        if case .match = program.instructions[thread.place] {
          guard place.offset - thread.start >= leastCount else { continue }
          found = (thread.start..<place.offset, place)
          // The other branches are less preferred.
          break step
        } else if let scalar = place.after, program.takes(scalar, at: thread.place) {
          follow(thread.place + 1, from: thread.start, at: following, &next)
        }
      }
      guard place.after != nil else { break }
      place = following
      swap(&threads, &next)
    }
    if let found { place = found.end }
    return found?.range
  }

  /// Adds the threads to which the instruction at `start` leads without a scalar, preferred ones
  /// first, for a match that starts at `offset`.
  private func follow(
    _ start: Int, from offset: Int, at position: Place, _ list: inout ThreadList
  ) {
    list.pending.append(start)
    while let place = list.pending.popLast() {
      guard list.visit(place) else { continue }
      switch program.instructions[place] {
      case .jump(let target): list.pending.append(target)
      case .split(let first, let second):
        list.pending.append(second)
        list.pending.append(first)
      case .start: if position.before == nil { list.pending.append(place + 1) }
      case .end: if position.after == nil { list.pending.append(place + 1) }
      case .boundary(let isWanted):
        if position.isBoundary == isWanted { list.pending.append(place + 1) }
      default: list.threads.append((place, offset))
      }
    }
  }

  /// A place between two scalars of a text.
  private struct Place {
    let offset: Int
    let before: UInt32?
    let after: UInt32?
    /// The offset after the scalar that follows.
    private let end: Int

    /// Creates the place at the start of `text`.
    init(in text: Span<UInt8>, _ encoding: SearchMatch.Encoding) {
      self.init(in: text, at: 0, after: nil, encoding)
    }

    private init(
      in text: Span<UInt8>, at offset: Int, after before: UInt32?,
      _ encoding: SearchMatch.Encoding
    ) {
      let scalar = encoding.scalar(in: text, at: offset)
      (self.offset, self.before, after) = (offset, before, scalar?.value)
      end = offset + (scalar?.count ?? 0)
    }

    func following(in text: Span<UInt8>, _ encoding: SearchMatch.Encoding) -> Self {
      Self(in: text, at: end, after: after, encoding)
    }

    /// Whether a word begins or ends here.
    var isBoundary: Bool {
      func isWord(_ scalar: UInt32?) -> Bool {
        scalar.map { TextProgram.ScalarSet.word.contains($0) } ?? false
      }
      return isWord(before) != isWord(after)
    }
  }

  /// The branches that are followed, each with the offset at which its match starts.
  private struct ThreadList {
    var threads: [(place: Int, start: Int)] = []
    /// The places that are still to be followed; the last is preferred.
    var pending: [Int] = []
    private var visits: [UInt32]
    private var visit: UInt32 = 1

    init(_ count: Int) { visits = Array(repeating: 0, count: count) }

    mutating func removeAll() {
      threads.removeAll(keepingCapacity: true)
      visit &+= 1
      if visit == 0 {
        visits = Array(repeating: 0, count: visits.count)
        visit = 1
      }
    }

    /// Returns whether `place` was not visited before.
    mutating func visit(_ place: Int) -> Bool {
      guard visits[place] != visit else { return false }
      visits[place] = visit
      return true
    }
  }
}
