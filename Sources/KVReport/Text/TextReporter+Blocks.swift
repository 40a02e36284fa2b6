import KVBytes
import KVModel
import KVSystem
import SystemPackage

extension TextReporter {
  /// How many rows of blocks a file has at most.
  private static let rowLimit = 32

  /// An overview of every file: a block stands for as many bytes as make the file fit a screen.
  func blocks(_ map: ByteMap, of store: any Store) {
    let columns = blockColumns
    var owners: Set<ByteOwner> = []
    for file in store.files {
      let count = file.image.count
      let grid = BlockGrid(
        of: map.regions.filter { $0.extent.index == file.index }, byteCount: count,
        limit: columns * TextReporter.rowLimit)
      emit(
        "\(DisplayText.path(file.path)): \(count.grouped) bytes"
          + (grid.blocks.isEmpty
            ? "" : ", \(Plural.count(grid.bytesPerBlock, "byte", "bytes")) a block"))
      print(grid, columns)
      owners.formUnion(grid.blocks)
    }
    let legend = (ByteOwner.allCases.dropFirst() + [.structure]).filter(owners.contains).map {
      "\(colors.owner($0, BlockGrid.symbol(of: $0))) \($0.name)"
    }
    if !legend.isEmpty { emit(verbatim: legend.joined(separator: "   ")) }
  }

  /// Prints the rows of `grid`; as in a hexdump, those that are like the one before are left out.
  private func print(_ grid: BlockGrid, _ columns: Int) {
    var last: ArraySlice<ByteOwner> = []
    var isSqueezing = false
    for start in stride(from: 0, to: grid.blocks.count, by: columns) {
      let row = grid.blocks[start..<min(start + columns, grid.blocks.count)]
      if row == last, row.endIndex < grid.blocks.endIndex {
        if !isSqueezing { emit(verbatim: "*") }
        isSqueezing = true
        continue
      }
      isSqueezing = false
      last = row
      emit(verbatim: "\(offset(start * grid.bytesPerBlock))  \(painted(row))")
    }
  }

  /// How many blocks a row has: 64, or half of that as often as the terminal is narrower.
  private var blockColumns: Int {
    var columns = 64
    while columns > 8, let width, columns + 10 > width { columns /= 2 }
    return columns
  }

  /// The blocks of a row, those of one owner in its color.
  private func painted(_ row: ArraySlice<ByteOwner>) -> String {
    var text = ""
    var rest = row
    while let first = rest.first {
      let run = rest.prefix { $0 == first }
      text += colors.owner(
        first, String(repeating: BlockGrid.symbol(of: first), count: run.count))
      rest = rest.dropFirst(run.count)
    }
    return text
  }
}

/// A file as a row of blocks, each of which stands for as many bytes.
struct BlockGrid {
  /// How many bytes a block stands for, a power of two.
  let bytesPerBlock: Int
  /// Whose bytes the blocks are.
  ///
  /// A gap is shown wherever there is one, for it is what is looked for; of the other owners, the one with
  /// the most bytes.
  let blocks: [ByteOwner]

  /// The blocks of a file of `byteCount` bytes, which `regions` tile; no more than `limit`.
  ///
  /// - Complexity: O(number of regions and of blocks).
  init(of regions: [Region], byteCount: Int, limit: Int) {
    precondition(limit > 0)
    var size = 1
    while (byteCount + size - 1) / size > limit { size *= 2 }
    bytesPerBlock = size
    let count = (byteCount + size - 1) / size
    var tallies = [[ByteOwner: Int]](repeating: [:], count: count)
    for region in regions {
      let owner = ByteOwner(region)
      var position = max(region.extent.offset, 0)
      let end = min(region.extent.end, byteCount)
      while position < end {
        let next = min((position / size + 1) * size, end)
        tallies[position / size][owner, default: 0] += next - position
        position = next
      }
    }
    blocks = tallies.map { tally in
      if tally[.gap] != nil { return .gap }
      let most = tally.max { ($0.value, $1.key.name) < ($1.value, $0.key.name) }
      return most?.key ?? .structure
    }
  }

  /// What a block of `owner` is drawn as, also where there are no colors.
  static func symbol(of owner: ByteOwner) -> String {
    switch owner {
    case .live: "█"
    case .superseded: "▓"
    case .removed: "▒"
    case .gap: "!"
    case .log: "?"
    case .slack: "·"
    case .structure: "#"
    }
  }
}
