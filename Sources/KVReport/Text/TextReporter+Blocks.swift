import KVBytes
import KVModel
import KVSystem
import SystemPackage

extension TextReporter {
  /// The most rows of blocks per file.
  private static let rowLimit = 32

  /// Prints an overview of every file, with enough bytes per block for the file to fit on a screen.
  func blocks(_ map: ByteMap, of store: any Store) {
    let columns = blockColumns
    var owners: Set<ByteOwner> = []
    for file in store.files {
      let count = file.image.count
      let grid = BlockGrid(
        of: map.regions.filter { $0.extent.index == file.index }, byteCount: count,
        limit: columns * TextReporter.rowLimit)
      emit(
        "\(DisplayText.path(file.path)): \(count.inBytes)"
          + (grid.blocks.isEmpty
            ? "" : ", \(Plural.count(grid.bytesPerBlock, "byte", "bytes")) per block"))
      print(grid, columns)
      owners.formUnion(grid.blocks)
    }
    let legend = (ByteOwner.allCases.dropFirst() + [.structure]).filter(owners.contains).map {
      "\(colors.owner($0, BlockGrid.symbol(of: $0))) \($0.name)"
    }
    if !legend.isEmpty { emit(verbatim: legend.joined(separator: "   ")) }
  }

  /// Prints the rows of `grid`; as in a hexdump, repeated rows are left out.
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

  /// The number of blocks in a row: 64, halved until a row fits the terminal.
  private var blockColumns: Int {
    var columns = 64
    while columns > 8, let width, columns + 10 > width { columns /= 2 }
    return columns
  }

  /// Returns the blocks of a row, each run of the same owner in its color.
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

/// A file as a sequence of blocks of equal numbers of bytes.
struct BlockGrid {
  /// The number of bytes per block, a power of two.
  let bytesPerBlock: Int
  /// The owners of the blocks.
  ///
  /// A block with any gap is a gap, because gaps are what people look for. Otherwise, its owner is
  /// the one with the most bytes.
  let blocks: [ByteOwner]

  /// Creates at most `limit` blocks for a file of `byteCount` bytes, which `regions` tile.
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

  /// Returns the symbol for blocks of `owner`, which also works without colors.
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
