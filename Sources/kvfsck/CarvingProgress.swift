import KVBytes
import KVInput
import KVModel
import KVReport
import KVSystem
import KVToolkit
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
  /// What a search is for, without keys: what must be the same to resume it.
  struct Job: Codable, Hashable {
    let sources: [String]
    let keysFrom: [String]
    /// Checksums of 16 bits, which tell keys apart, but not what they are.
    let keys: UInt16
    let recordKeys: UInt16

    /// What differs from `other`.
    fileprivate func difference(from other: Job) -> String {
      sources != other.sources
        ? "other sources"
        : keysFrom != other.keysFrom || recordKeys != other.recordKeys
          ? "other --keys-from" : "another key, or another size of it"
    }
  }

  /// What tells a source from another, and from itself after a change.
  fileprivate struct Identity: Codable, Hashable {
    let count: Int
    let modified: Int

    init(_ source: RawSource) { (count, modified) = (source.count, source.modified) }
  }

  /// What was found in a source.
  struct Finds: Codable {
    fileprivate let source: Identity
    let stores: [CarvedStore]
    let isLimited: Bool

    /// Whether a search of a source of `count` bytes can have found this.
    fileprivate func isSound(in count: Int) -> Bool {
      stores.allSatisfy { store in
        Kvfsck.formats[store.format]?.carver != nil && store.isSound(in: count)
      } && zip(stores, stores.dropFirst()).allSatisfy { $0.offset < $1.offset }
    }
  }

  private struct Line: Codable {
    let job: Job
    var finished: [Finds] = []
    /// The position in the source after those, and which it is.
    var pass = 0
    var start = 0
    var source: Identity?
    /// The carvers there.
    var carvers: [Data] = []
  }

  /// The part of the time that may be lost, or spent on noting, in the other direction.
  private static let parts = 64
  /// How much larger than its source the numbers are that a search notes, at most.
  private static let slack = 1 << 26

  private let path: FilePath?
  private var line: Line
  private let began = ContinuousClock.now
  private var next = ContinuousClock.now

  /// Reads the file at `path`, if that is given and there is one, which must be of the same `job`.
  ///
  /// A file that is not empty, and does not begin with a line that a search noted, is left alone.
  init(_ path: FilePath?, _ job: Job) throws(FileError) {
    self.path = path
    line = Line(job: job)
    guard let path, Folder.isTaken(path), Folder.fileSize(at: path) != 0 else { return }
    guard let first = try AppendedFile.firstLine(of: path), CarvingLine.json(in: first) != nil
    else {
      throw .member(
        path: path,
        reason:
          "it does not begin with the progress of a search, and is left as it is; name another "
          + "file for --resume, or delete it if it is what a stopped search left")
    }
    var last: [UInt8] = []
    try AppendedFile.append(to: path) { end in
      last = end.line ?? []
      return []
    }
    guard let json = CarvingLine.json(in: last),
      let read = try? JSONDecoder().decode(Line.self, from: Data(json)),
      read.finished.count <= job.sources.count
    else { throw damage(path) }
    guard read.job == job else {
      throw .member(
        path: path,
        reason: "it is no progress of this search, but of one with "
          + "\(read.job.difference(from: job)); run the same command, or name another file")
    }
    line = read
  }

  private func damage(_ path: FilePath) -> FileError {
    .member(path: path, reason: "it is damaged; delete it to begin the search again")
  }

  /// Returns what is in `source`, number `number` from 0 on: what is known of it, or what a search
  /// finds, from the position on that was noted.
  mutating func finds(
    in source: RawSource, _ number: Int, by sweep: Sweep
  ) throws(FileError) -> Finds {
    let isDone = number < line.finished.count
    let identity = Identity(source)
    let known = isDone ? line.finished[number].source : line.carvers.isEmpty ? nil : line.source
    guard known ?? identity == identity else {
      throw .member(
        path: source.path,
        reason: known?.count == source.count
          ? "it was modified after the search began"
          : "it had another size when the search began")
    }
    if isDone {
      let finds = line.finished[number]
      let isSound = hasPossibleNumbers(finds.stores, source) && finds.isSound(in: source.count)
      if let path, !isSound { throw damage(path) }
      return finds
    }
    let position = try position(sweep, in: source)
    var progress = self
    let (stores, isLimited) = try sweep.stores(in: source, from: position) {
      (position) throws(FileError) in try progress.note(position, of: identity)
    }
    self = progress
    line.finished.append(Finds(source: identity, stores: stores, isLimited: isLimited))
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
    guard let path, !line.carvers.isEmpty else { return nil }
    var carvers: [any StoreCarver] = []
    for (carver, data) in zip(fresh, line.carvers) {
      guard CarvingLine.hasPossibleNumbers(data, bound: source.count + Self.slack),
        let known = Self.decoded(carver, data)
      else { break }
      carvers.append(known)
    }
    let position = Sweep.Position(pass: line.pass, start: line.start, carvers)
    guard carvers.count == fresh.count, carvers.count == line.carvers.count,
      position.isSound(in: source.count)
    else { throw damage(path) }
    Output.note(
      "resumed in \(source.path.text) at \(line.start.grouped) of \(source.count.inBytes), "
        + "pass \(line.pass + 1)")
    return position
  }

  /// Returns whether the numbers in `stores` are those of stores in `source`.
  private func hasPossibleNumbers(_ stores: [CarvedStore], _ source: RawSource) -> Bool {
    (try? JSONEncoder().encode(stores)).map {
      CarvingLine.hasPossibleNumbers($0, bound: source.count + Self.slack)
    } ?? false
  }

  /// Returns what `data` encodes, with what `fresh` knows.
  private static func decoded<C: StoreCarver>(_ fresh: C, _ data: Data) -> (any StoreCarver)? {
    guard var carver = try? JSONDecoder().decode(C.self, from: data) else { return nil }
    carver.learn(from: fresh)
    return carver
  }

  /// Notes `position` in a source of `count` bytes, if it is time to.
  private mutating func note(
    _ position: Sweep.Position, of source: Identity
  ) throws(FileError) {
    let now = ContinuousClock.now
    guard path != nil, now >= next, position.pass > 0 || position.start > 0 else { return }
    (line.pass, line.start, line.source) = (position.pass, position.start, source)
    line.carvers = position.carvers.compactMap { try? JSONEncoder().encode($0) }
    try write()
    let after = ContinuousClock.now
    next = after + max((after - now) * Self.parts, (after - began) / Self.parts)
  }

  private func write() throws(FileError) {
    guard let path, let json = try? JSONEncoder().encode(line) else { return }
    let feed = [UInt8(ascii: "\n")]
    let bytes = CarvingLine.line(Array(json)) + feed
    try AppendedFile.append(to: path) { end in (end.rest.isEmpty ? [] : feed) + bytes }
  }
}
