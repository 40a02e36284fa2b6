import KVBytes
import KVModel
import KVSystem
import SystemPackage

/// The owners of the bytes of a file as runs, which are made coarser where there are too many.
struct PageRuns {
  /// More runs than this are not drawn.
  static let limit = 16_384

  private(set) var runs: [(count: Int, owner: ByteOwner)] = []

  /// Adds the bytes after those that are there.
  mutating func add(_ count: Int, _ owner: ByteOwner) {
    guard count > 0 else { return }
    if runs.last?.owner == owner {
      runs[runs.count - 1].count += count
    } else {
      runs.append((count, owner))
    }
  }

  /// The runs, each of at least some number of bytes: of those, a gap is shown whatever is beside it, and
  /// else what there is most of.
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
  /// More fields than this are not listed.
  private static let fieldLimit = 2000

  /// A file of a store, without an owner for its bytes yet.
  init(_ file: StoreFile) {
    self.init(
      role: file.roleName, name: file.path.lastComponent?.string ?? file.path.text,
      size: file.image.count)
  }

  /// Takes in the regions of the file.
  mutating func add(_ regions: some Sequence<Region>) {
    var runs = PageRuns()
    for region in regions {
      let owner = ByteOwner(region)
      runs.add(region.extent.count, owner)
      let isRecord = region.kind == .part && owner != .structure
      guard !isRecord, owner != .slack || region.kind != .part else { continue }
      if fields.count < Self.fieldLimit {
        fields.append(
          Field(
            offset: region.extent.offset, count: region.extent.count, owner: owner.rawValue,
            name: region.name, meaning: region.meaning))
      } else {
        omittedFields += 1
      }
    }
    (self.runs, grain) = runs.drawn()
  }
}
