package import KVBytes
package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The files that a run has read and written, each with its hash.
///
/// The functions that read and write files note them in ``current``, if that is kept.
package final class FileLedger: Sendable {
  // A class, because all threads of the run note files in it.

  /// Returns the hash of pieces, which the closure returns one by one; the last is empty.
  package typealias Digest = @Sendable (() -> [UInt8]) -> [UInt8]

  /// What the system says of a file; times are in nanoseconds since 1970.
  package struct Facts: Hashable, Sendable {
    package let count, device, inode, modified, changed, user, group: Int
    package let mode: FilePermissions

    init(_ status: Stat) {
      func nanoseconds(_ seconds: Int, _ rest: Int) -> Int {
        seconds.multipliedReportingOverflow(by: 1_000_000_000).partialValue &+ rest
      }
      count = Int(status.size)
      device = Int(truncatingIfNeeded: status.deviceID.rawValue)
      inode = Int(truncatingIfNeeded: status.inode.rawValue)
      modified = nanoseconds(status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
      changed = nanoseconds(status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
      user = Int(status.userID.rawValue)
      group = Int(status.groupID.rawValue)
      mode = status.permissions
    }

    /// Examines the file at `path`; `nil` if that fails.
    init?(of path: FilePath) {
      guard let status = try? Stat(path) else { return nil }
      self.init(status)
    }
  }

  /// A file that was read.
  package struct Input: Sendable {
    package let path: FilePath
    /// The number of bytes that were read.
    package let count: Int
    /// The hash of all bytes; `nil` for a file with a key, and if they could not be read.
    package fileprivate(set) var digest: [UInt8]?
    /// Why the bytes could not be read for the hash.
    package fileprivate(set) var failure: FileError?
    /// The facts when it was read; `nil` for a member of an archive and for standard input.
    package let before: Facts?
    /// The facts now; `nil` if the file is gone.
    package var after: Facts? { before.flatMap { _ in Facts(of: path) } }
  }

  /// A file that was written.
  package struct Output: Sendable {
    package let path: FilePath
    /// The hash of all bytes; `nil` if they could not be read.
    package let digest: [UInt8]?
    /// Why they could not.
    package let failure: FileError?
    /// The facts when it had its name; `nil` if it could not be examined.
    package let facts: Facts?
  }

  private struct State {
    var inputs: [FilePath: Input] = [:]
    var outputs: [FilePath: Output] = [:]
    var glances: Set<FilePath> = []
    var unrecognized: Set<FilePath> = []
  }

  private static let pieceCount = 1 << 20

  private let digest: Digest
  private let state = Guarded(State())

  /// Creates an empty ledger that hashes files by `digest`.
  package init(_ digest: @escaping Digest) { self.digest = digest }

  // MARK: Noting

  /// Notes that `image` was read as the file at `path`, a member of an archive or standard input.
  package func noteRead(_ path: FilePath, _ image: FileImage) {
    noteRead(path, nil, image.count) { offset in
      image.bytes(in: offset..<min(offset + Self.pieceCount, image.count))
    }
  }

  /// Notes that `bytes` were read from the file at `path`.
  func noteRead(_ path: FilePath, _ status: Stat, _ bytes: [UInt8]) {
    noteRead(path, status, bytes.count) { $0 == 0 ? bytes : [] }
  }

  /// Notes that the open file at `path` is read piece by piece; it is read for its hash, once.
  func noteRead(_ path: FilePath, _ status: Stat, _ file: FileDescriptor, count: Int? = nil) {
    noteRead(path, status, count ?? Int(status.size)) { offset in
      try file.readPiece(at: Int64(offset), count: Self.pieceCount)
    }
  }

  /// Notes that a key was read from the file at `path`: not its hash, by which it could be guessed.
  func noteKey(_ path: FilePath, _ status: Stat?, _ count: Int) {
    noteRead(path, status?.type == .regular ? status : nil, count, nil)
  }

  private func noteRead(
    _ path: FilePath, _ status: Stat?, _ count: Int, _ piece: ((Int) throws -> [UInt8])?
  ) {
    let isNew = state.use { state in
      // What this run has written is no input, and may be read back.
      guard state.inputs[path] == nil, state.outputs[path] == nil, !Interruption.isTemporary(path)
      else { return false }
      state.inputs[path] = Input(path: path, count: count, before: status.map(Facts.init))
      return true
    }
    guard isNew, let piece else { return }
    let (digest, failure) = hash(path, count, piece)
    state.use { state in
      state.inputs[path]?.digest = digest
      state.inputs[path]?.failure = failure
    }
  }

  /// Notes that the beginning of the file at `path` was read.
  package func noteGlance(_ path: FilePath) {
    state.use { state in
      if state.outputs[path] == nil, !Interruption.isTemporary(path) { state.glances.insert(path) }
    }
  }

  /// Notes that the file at `path` is not of a kind that is read.
  package func noteUnrecognized(_ path: FilePath) {
    state.use { _ = $0.unrecognized.insert(path) }
  }

  /// Notes that the files at `paths` were written, as they are on the disk now.
  func noteWritten(_ paths: [FilePath]) {
    for path in paths where !Interruption.isTemporary(path) {
      let facts = Facts(of: path)
      let (digest, failure) = hash(ofFileAt: path, facts?.count ?? 0)
      state.use {
        $0.outputs[path] = Output(path: path, digest: digest, failure: failure, facts: facts)
      }
    }
  }

  /// Returns the hash of the `count` bytes of the file at `path`, or why there is none.
  private func hash(ofFileAt path: FilePath, _ count: Int) -> (digest: [UInt8]?, FileError?) {
    do throws(Errno) {
      let file = try SystemCalls.openForReading(path, [.nonBlocking, .closeOnExec])
      defer { _ = try? file.close() }
      return hash(path, count) { offset in
        try file.readPiece(at: Int64(offset), count: Self.pieceCount)
      }
    } catch {
      return (nil, .system(operation: "read", path: path, errno: error))
    }
  }

  /// Returns the hash of `count` bytes, which `piece` returns piece by piece, or why there is none:
  /// that of fewer bytes would be taken for that of all.
  private func hash(
    _ path: FilePath, _ count: Int, _ piece: (Int) throws -> [UInt8]
  ) -> (digest: [UInt8]?, failure: FileError?) {
    var offset = 0
    var failure: FileError?
    let digest = digest {
      do {
        let bytes = try piece(offset)
        offset += bytes.count
        return bytes
      } catch {
        failure = .system(operation: "read", path: path, errno: error.errno)
        return []
      }
    }
    if failure == nil, offset != count {
      failure = .changedWhileRead(path: path, before: Int64(count), after: Int64(offset))
    }
    return (failure == nil ? digest : nil, failure)
  }

  // MARK: Reading

  /// The files that were read, sorted by path.
  package var inputs: [Input] {
    state.use { Array($0.inputs.values) }.sorted { $0.path.isBefore($1.path) }
  }

  /// The files that were written, sorted by path.
  package var outputs: [Output] {
    state.use { Array($0.outputs.values) }.sorted { $0.path.isBefore($1.path) }
  }

  /// Why files have no hash, in the order of the lines about them.
  package var failures: [FileError] {
    inputs.compactMap(\.failure) + outputs.compactMap(\.failure)
  }

  /// The files that are not of a kind that is read, or of which no more than the beginning was read,
  /// sorted.
  package var notRecognized: [FilePath] {
    state.use { state in
      state.unrecognized.union(state.glances.filter { state.inputs[$0] == nil })
    }.sorted { $0.isBefore($1) }
  }

  /// The number of files of which anything was read.
  package var lookedAtCount: Int {
    state.use { state in state.inputs.count + state.glances.count { state.inputs[$0] == nil } }
  }
}

extension FilePath {
  fileprivate func isBefore(_ other: FilePath) -> Bool {
    bytes.lexicographicallyPrecedes(other.bytes)
  }
}
