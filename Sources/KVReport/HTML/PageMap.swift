import KVBytes
import KVModel
import KVSystem
import SystemPackage

/// The owners of the bytes of a file as runs, merged if there are too many.
struct PageRuns {
  /// The most runs that are drawn.
  static let limit = 16_384

  private(set) var runs: [(count: Int, owner: ByteOwner)] = []

  /// Adds bytes after the existing ones.
  mutating func add(_ count: Int, _ owner: ByteOwner) {
    guard count > 0 else { return }
    if runs.last?.owner == owner {
      runs[runs.count - 1].count += count
    } else {
      runs.append((count, owner))
    }
  }

  /// Returns the runs, with a minimum number of bytes per run if there are too many.
  ///
  /// A merged run has the owner of most of its bytes, except that any gap in it makes it a gap.
  func drawn() -> (runs: [Int], grain: Int) {
    guard runs.count > Self.limit else {
      return (runs.flatMap { [$0.count, $0.owner.rawValue] }, 1)
    }
    let total = runs.reduce(0) { $0 + $1.count }
    let grain = (total + Self.limit - 1) / Self.limit
    var coarse = PageRuns()
    var tally = [Int](repeating: 0, count: ByteOwner.allCases.count)
    var room = grain
    for run in runs {
      var rest = run.count
      while rest > 0 {
        let part = min(rest, room)
        tally[run.owner.rawValue] += part
        rest -= part
        room -= part
        if room == 0 {
          coarse.add(grain, Self.owner(of: tally))
          tally = tally.map { _ in 0 }
          room = grain
        }
      }
    }
    coarse.add(grain - room, Self.owner(of: tally))
    return (coarse.runs.flatMap { [$0.count, $0.owner.rawValue] }, grain)
  }

  private static func owner(of tally: [Int]) -> ByteOwner {
    if tally[ByteOwner.gap.rawValue] > 0 { return .gap }
    return ByteOwner.allCases.max { tally[$0.rawValue] < tally[$1.rawValue] } ?? .structure
  }
}

extension PageFile {
  /// The most fields that are listed.
  private static let fieldLimit = 2000

  /// Creates a file without owners for its bytes.
  init(_ file: StoreFile) {
    self.init(
      role: file.roleName, name: file.path.lastComponent?.string ?? file.path.text,
      size: file.image.count)
  }

  /// Adds the regions of the file.
  mutating func add(_ regions: some Sequence<Region>) {
    var runs = PageRuns()
    for region in regions {
      let owner = ByteOwner(region)
      runs.add(region.extent.count, owner)
      let isRecord = region.kind == .part && owner != .structure
      guard !isRecord, owner != .slack || region.kind != .part else { continue }
      if fields.count < Self.fieldLimit {
        fields.append([
          "offset": region.extent.offset, "count": region.extent.count,
          "owner": owner.rawValue, "name": region.name, "meaning": region.meaning,
        ])
      } else {
        omittedFields += 1
      }
    }
    (self.runs, grain) = runs.drawn()
  }
}
