import KVBytes
import KVInput
import KVModel
import KVReport
import KVSystem
import SystemPackage

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The file in which a search of sources notes how far it has come, so that it can be resumed.
///
/// Each line is all that is known then. Lines are appended so seldom that they take little time.
struct CarvingProgress {
  /// What was found in a source.
  struct Finds: Codable {
    /// The number of bytes of the source.
    let count: Int
    let stores: [CarvedStore]
    let isLimited: Bool
  }

  private struct Line: Codable {
    /// What the search is for, without keys.
    let job: [String]
    var finished: [Finds] = []
    /// The position in the source after those, and its number of bytes.
    var pass = 0
    var start = 0
    var count = 0
    /// The carvers there.
    var carvers: [Data] = []
  }

  /// The part of the time that may be lost, or spent on noting, in the other direction.
  private static let parts = 64

  private let path: FilePath?
  private var line: Line
  private let began = ContinuousClock.now
  private var next = ContinuousClock.now

  /// Reads the file at `path`, if that is given and there is one, which must be of the same `job`.
  init(_ path: FilePath?, _ job: [String]) throws(FileError) {
    self.path = path
    line = Line(job: job)
    guard let path, Folder.isTaken(path) else { return }
    var last: [UInt8]?
    try AppendedFile.append(to: path) { end in
      last = end.line
      return []
    }
    guard let last else { return }
    guard let read = try? JSONDecoder().decode(Line.self, from: Data(last)), read.job == job else {
      throw .member(path: path, reason: "it is no progress of this search of these sources")
    }
    line = read
  }

  /// Returns what is in `source`, number `number` from 0 on: what is known of it, or what a search
  /// finds, from the position on that was noted.
  mutating func finds(
    in source: RawSource, _ number: Int, by sweep: Sweep
  ) throws(FileError) -> Finds {
    let isDone = number < line.finished.count
    let known = isDone ? line.finished[number].count : line.carvers.isEmpty ? nil : line.count
    guard known == nil || known == source.count else {
      throw .member(path: source.path, reason: "it had another size when the search began")
    }
    if isDone { return line.finished[number] }
    let position = try position(sweep, in: source)
    var progress = self
    let (stores, isLimited) = try sweep.stores(in: source, from: position) {
      (position) throws(FileError) in try progress.note(position, of: source.count)
    }
    self = progress
    line.finished.append(Finds(count: source.count, stores: stores, isLimited: isLimited))
    line.carvers = []
    try write()
    return line.finished[number]
  }

  /// Removes the file, which is of no use after the search.
  func remove() throws(FileError) {
    if let path, Folder.isTaken(path) { try Folder.removeFile(path) }
  }

  /// Returns the position that was noted.
  private func position(
    _ sweep: Sweep, in source: RawSource
  ) throws(FileError) -> Sweep.Position? {
    let fresh = sweep.carvers()
    guard let path, line.carvers.count == fresh.count else { return nil }
    var carvers: [any StoreCarver] = []
    for (carver, data) in zip(fresh, line.carvers) {
      guard let known = Self.decoded(carver, data) else { break }
      carvers.append(known)
    }
    guard carvers.count == fresh.count, line.pass >= 0, (0...source.count).contains(line.start)
    else { throw .member(path: path, reason: "it is damaged") }
    Output.note(
      "resumed in \(source.path.text) at \(line.start.grouped) of \(source.count.grouped) bytes, "
        + "pass \(line.pass + 1)")
    return Sweep.Position(pass: line.pass, start: line.start, carvers)
  }

  /// Returns what `data` encodes, with what `fresh` knows.
  private static func decoded<C: StoreCarver>(_ fresh: C, _ data: Data) -> (any StoreCarver)? {
    guard var carver = try? JSONDecoder().decode(C.self, from: data) else { return nil }
    carver.learn(from: fresh)
    return carver
  }

  /// Notes `position` in a source of `count` bytes, if it is time to.
  private mutating func note(_ position: Sweep.Position, of count: Int) throws(FileError) {
    let now = ContinuousClock.now
    guard path != nil, now >= next, position.pass > 0 || position.start > 0 else { return }
    (line.pass, line.start, line.count) = (position.pass, position.start, count)
    line.carvers = position.carvers.compactMap { try? JSONEncoder().encode($0) }
    try write()
    let after = ContinuousClock.now
    next = after + max((after - now) * Self.parts, (after - began) / Self.parts)
  }

  private func write() throws(FileError) {
    guard let path, let data = try? JSONEncoder().encode(line) else { return }
    let feed = [UInt8(ascii: "\n")]
    try AppendedFile.append(to: path) { end in (end.rest.isEmpty ? [] : feed) + data + feed }
  }
}
