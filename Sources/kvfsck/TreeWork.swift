import KVBytes
import KVInput
import KVModel
import KVSystem
import KVToolkit
import SystemPackage

/// The work of a command on all stores in folders or archives, of which each becomes new files: in the
/// same subfolder of the new folder.
struct TreeWork: Sendable {
  /// The folders and archives.
  let roots: [FilePath]
  /// The new folder; `nil` if none was given.
  let out: FilePath?
  /// Whether anything is written.
  let isExecuted: Bool
  /// What becomes of the stores, in the words of the command: "repaired".
  let verb: String
  /// What a request to stop says once a store is written.
  let cancelled: StaticString

  /// Returns why nothing is written; `nil` if nothing speaks against it.
  var refusal: String? {
    var names: Set<FilePath> = []
    let other = roots.first { root in
      let name = root.lastName
      return name == nil || name == "." || name == ".." || !names.insert(name ?? "").inserted
    }
    if roots.count > 1, out != nil, let other {
      return "each of several folders has a subfolder of its name, and that of \(other.text) is "
        + "not its own; name it by itself, with another new folder"
    }
    guard let out else { return nil }
    // A link may lead there.
    let place = Folder.located(out)
    guard let root = roots.first(where: { Folder.isInside(place, $0) }) else { return nil }
    return "\(out.text) is in \(root.text), which is \(verb); name a folder outside it"
  }

  /// Passes each store to `body`; one that cannot be processed does not keep the others from it.
  ///
  /// - Returns: The combined status of all stores.
  /// - Throws: If a file with keys cannot be read.
  func forEachStore(
    _ options: StoreOptions, _ report: Reports, _ body: (TreeScan.Result) -> ExitStatus
  ) throws(DiscoveryError) -> ExitStatus {
    var status: ExitStatus = []
    try ScanOptions.scanOfAll(options, report, keeping: .all).results(
      of: TreeWalk(roots), overlapping: roots.count > 1, idle: report.output.flush
    ) { result in
      let own = body(result)
      status.formUnion(own)
      report.output.flush()
      return !own.contains(.cancelled) && goesOn(&status, report)
    }
    return status
  }

  /// Returns whether to go on with the next store, in which a request to stop ends the process
  /// again; once a store is written, it does not.
  func goesOn(_ status: inout ExitStatus, _ report: Reports) -> Bool {
    guard isExecuted else { return !report.areUnread }
    let isGoingOn = Interruption.goOn(saying: cancelled)
    if !isGoingOn {
      report.complain("cancelled; the remaining stores were not \(verb)")
      status.insert(.cancelled)
    }
    return isGoingOn
  }

  /// Returns the folder that the store at `path` goes to: the same subfolder of the new folder as it
  /// is in below its root, which has a folder of its own if there are several; `nil` if a name in an
  /// archive would lead out of it.
  func folder(for path: FilePath) -> FilePath? {
    guard let out, let root = root(of: path) else { return nil }
    let slash = UInt8(ascii: "/")
    let home = path.parent.shownBytes
    // Members of an archive that was named are below `ARCHIVE!`.
    let below = home.dropFirst(root.bytes.count).drop { $0 == slash }
    let names = (below.first == UInt8(ascii: "!") ? below.dropFirst() : below)
      .split(separator: slash)
    guard !names.contains(where: { $0.elementsEqual("..".utf8) }) else { return nil }
    let start = roots.count > 1 ? root.lastComponent.map { out.appending($0) } ?? out : out
    return names.reduce(start) { FilePath(bytes: $0.bytes + [slash] + $1) }
  }

  /// Returns the root that the store at `path` is below.
  private func root(of path: FilePath) -> FilePath? {
    guard roots.count > 1 else { return roots.first }
    let bytes = path.shownBytes
    return roots.filter { root in
      guard bytes.starts(with: root.bytes) else { return false }
      let next = bytes.dropFirst(root.bytes.count).first
      return next == nil || next == UInt8(ascii: "/") || next == UInt8(ascii: "!")
    }.max { $0.bytes.count < $1.bytes.count }
  }
}
