import KVBytes
import KVModel

/// One file of a store, as the copies of the store hold it.
struct CopiedFile: Sendable {
  /// The file in the merged store, with the name that it will have.
  let file: StoreFile
  /// The file of each copy; `nil` where it is missing.
  let sources: [StoreFile?]

  /// The number of bytes in the longest copy: a shorter one was truncated.
  var count: Int { sources.reduce(0) { max($0, $1?.image.count ?? 0) } }
}

/// Bytes in which the copies that hold them differ.
struct DifferingRun: Hashable, Sendable {
  /// The position of the file in the alignment.
  let file: Int
  /// The bytes.
  let range: Range<Int>
}

/// The copies of a store side by side, and where they differ.
struct CopyAlignment: Sendable {
  /// The files of the merged store.
  let files: [CopiedFile]
  /// The longest runs of bytes that all differ, in order.
  let runs: [DifferingRun]

  /// The most runs that are looked at; if there are more, those near each other are one.
  private static let runLimit = 1024

  init(_ files: [CopiedFile]) {
    self.files = files
    let all = files.map(Self.differences)
    var gap = 0
    var runs: [DifferingRun] = []
    repeat {
      runs = files.indices.flatMap { index in
        Self.joined(all[index], by: gap, in: files[index])
          .map { DifferingRun(file: index, range: $0) }
      }
      gap = gap * 4 + 4
    } while runs.count > Self.runLimit && gap < FileImage.maximumCount
    self.runs = runs
  }

  /// Returns where the copies of a file that have a byte differ in it.
  private static func differences(of file: CopiedFile) -> [Range<Int>] {
    let images = file.sources.compactMap { $0?.image }.sorted { $0.count > $1.count }
    guard let longest = images.first, images.count > 1 else { return [] }
    let bytes = longest.storageSpan
    var marks = RangeList()
    for image in images.dropFirst() {
      let own = image.storageSpan
      var start: Int?
      for offset in 0..<own.count {
        if own[offset] != bytes[offset] {
          if start == nil { start = offset }
        } else if let first = start {
          marks.add(first..<offset)
          start = nil
        }
      }
      if let start { marks.add(start..<own.count) }
    }
    return marks.ranges(cutAt: images.map(\.count))
  }

  /// Returns `ranges` with those joined that at most `gap` bytes are between, unless a copy ends there.
  private static func joined(
    _ ranges: [Range<Int>], by gap: Int, in file: CopiedFile
  ) -> [Range<Int>] {
    let ends = file.sources.compactMap { $0?.image.count }
    return ranges.reduce(into: []) { joined, range in
      if let last = joined.last, range.lowerBound - last.upperBound <= gap,
        !ends.contains(where: { last.upperBound <= $0 && $0 <= range.lowerBound })
      {
        joined[joined.count - 1] = last.lowerBound..<range.upperBound
      } else {
        joined.append(range)
      }
    }
  }

  /// Returns `runs`, which ascend, in groups, each with no more than `gap` bytes between its runs.
  ///
  /// A group is a range of all runs, so it may have others between its own.
  func groups(joining gap: Int, of runs: [Int]) -> [Range<Int>] {
    var groups: [Range<Int>] = []
    for run in runs {
      if let last = groups.last, let before = self.gap(before: run, after: last.upperBound - 1),
        before <= gap
      {
        groups[groups.count - 1] = last.lowerBound..<run + 1
      } else {
        groups.append(run..<run + 1)
      }
    }
    return groups
  }

  /// Returns `runs`, which ascend, in at most `count` groups if possible, with the most bytes between
  /// them.
  func groups(into count: Int, of runs: [Int]) -> [Range<Int>] {
    let gaps = zip(runs, runs.dropFirst()).compactMap { gap(before: $1, after: $0) }
    let cuts = runs.count - 1 - gaps.count
    let limit = gaps.sorted(by: >).dropFirst(max(0, count - 1 - cuts)).first ?? -1
    return groups(joining: limit, of: runs)
  }

  /// Returns the number of bytes between two runs; `nil` if they are in different files, or not all
  /// copies with one of them have the other.
  private func gap(before run: Int, after last: Int) -> Int? {
    guard runs[last].file == runs[run].file, donors(of: last) == donors(of: run) else { return nil }
    return runs[run].range.lowerBound - runs[last].range.upperBound
  }

  /// Returns the copies that have all bytes of a run.
  func donors(of run: Int) -> [Int] {
    let (file, range) = (files[runs[run].file], runs[run].range)
    return file.sources.indices.filter {
      range.upperBound <= file.sources[$0]?.image.count ?? 0
    }
  }

  /// Returns the copies with different bytes in a group of runs: the first one that has each.
  func alternatives(of group: Range<Int>) -> [Int] {
    var found: [Int] = []
    for donor in donors(of: group.lowerBound)
    where !found.contains(where: { known in
      group.allSatisfy { bytes(of: $0, from: known) == bytes(of: $0, from: donor) }
    }) {
      found.append(donor)
    }
    return found
  }

  /// Returns the bytes of a run in one of the copies that have it.
  func bytes(of run: Int, from donor: Int) -> [UInt8] {
    files[runs[run].file].sources[donor]?.image.bytes(in: runs[run].range) ?? []
  }

  /// Returns the merged files, with each run from the copy that `donors` states for it.
  func merged(_ donors: [Int]) -> [StoreFile] {
    files.indices.map { index in
      let file = files[index]
      let longest = file.sources.compactMap { $0 }.sorted { $0.image.count > $1.image.count }
      var bytes = longest.first?.image.bytes ?? []
      for run in runs.indices where runs[run].file == index {
        bytes.replaceSubrange(runs[run].range, with: self.bytes(of: run, from: donors[run]))
      }
      return StoreFile(file.file.role, at: file.file.path, FileImage(bytes))
    }
  }

  /// Returns, for each run, the copy whose bytes are most like those around it on which all copies
  /// agree.
  ///
  /// No checksum is needed for that, so it is only a first choice, and the last for bytes that nothing
  /// else is known about.
  func likeliestDonors() -> [Int] {
    runs.indices.map { run in
      let counts = context(of: run)
      let all = Double(counts.reduce(0, +)) + 64
      func bits(_ donor: Int) -> Double {
        let own = bytes(of: run, from: donor)
        let holders = donors(of: run).count { bytes(of: run, from: $0) == own }
        return own.reduce(-8 * Double(holders)) {
          $0 + Logarithm.base2(all / (Double(counts[Int($1)]) + 0.25))
        }
      }
      return donors(of: run).map { ($0, bits($0)) }.min { $0.1 < $1.1 }?.0 ?? 0
    }
  }

  /// The number of bytes before and after a run that it is compared with.
  private static let reach = 64

  /// Returns how often each byte occurs near a run where all copies agree.
  private func context(of run: Int) -> [Int] {
    var counts = [Int](repeating: 0, count: 256)
    let (file, range) = (files[runs[run].file], runs[run].range)
    let around =
      max(0, range.lowerBound - Self.reach)..<min(file.count, range.upperBound + Self.reach)
    let near = runs[..<run].reversed().prefix { $0.range.upperBound > around.lowerBound }
    let after = runs[run...].prefix { $0.range.lowerBound < around.upperBound }
    for offset in around
    where !near.contains(where: { $0.file == runs[run].file && $0.range.contains(offset) })
      && !after.contains(where: { $0.file == runs[run].file && $0.range.contains(offset) })
    {
      if let image = file.sources.lazy.compactMap({ $0?.image }).first(where: { offset < $0.count })
      {
        counts[Int(image[offset])] += 1
      }
    }
    return counts
  }
}

/// Ranges that are collected in any order.
private struct RangeList {
  private var ranges: [Range<Int>] = []

  mutating func add(_ range: Range<Int>) { ranges.append(range) }

  /// Returns the bytes in at least one of the ranges, cut at `ends`.
  func ranges(cutAt ends: [Int]) -> [Range<Int>] {
    var union: [Range<Int>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = union.last, range.lowerBound <= last.upperBound {
        union[union.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        union.append(range)
      }
    }
    return union.flatMap { range in
      let cuts = [range.lowerBound] + ends.filter { range.contains($0) && $0 > range.lowerBound }
      let bounds = Set(cuts).sorted() + [range.upperBound]
      return zip(bounds, bounds.dropFirst()).map { $0..<$1 }
    }
  }
}
