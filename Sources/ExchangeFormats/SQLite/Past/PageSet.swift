import KVBytes
import KVModel
import SystemPackage

/// All images of pages that a database, its write-ahead log and its rollback journal have.
struct PageSet {
  /// The encoding of texts.
  let encoding: TextEncoding
  /// The images, in the order of the files.
  let images: [PageImage]
  /// The positions in ``images`` of each page in the log.
  private var frames: [Int: [Int]] = [:]
  /// The position in ``images`` of each page in the journal.
  private var journal: [Int: Int] = [:]
  /// The position in ``images`` of what SQLite reads as each page.
  private(set) var current: [Int: Int] = [:]
  /// The number of images in the database, which are the first.
  private let databaseCount: Int
  /// For each frame, the last frame of its transaction.
  private let transactionEnds: [Int]

  /// Reads the pages of `files`, of which the first is the database.
  ///
  /// Returns `nil` if nothing shows the size of the pages.
  init?(_ files: [StoreFile]) {
    guard let main = files.first, let pageSize = Self.pageSize(in: files) else { return nil }
    let isDatabase = SQLiteFiles.isDatabase(main.image)
    let reserved = isDatabase ? Int(main.image[20]) : 0
    let usable = pageSize - reserved >= 480 ? pageSize - reserved : pageSize
    encoding = TextEncoding(isDatabase ? main.image.bigEndian(56) : 1)
    var images: [PageImage] = []
    func add(_ file: StoreFile, _ start: Int, _ number: Int, _ source: PageImage.Source) {
      guard start <= file.image.count - pageSize else { return }
      images.append(
        PageImage(
          image: file.image, file: file.index, start: start, count: usable, number: number,
          source: source))
    }
    for start in stride(from: 0, through: main.image.count - pageSize, by: pageSize) {
      add(main, start, start / pageSize + 1, .database)
    }
    let log = files.dropFirst().first { !$0.path.string.hasSuffix(SQLiteFiles.journalSuffix) }
    let frames = log.map { WALCheck.frames(in: $0.image, pageSize: pageSize) } ?? []
    for (ordinal, frame) in frames.enumerated() {
      if let log { add(log, frame.start, frame.page, .frame(ordinal)) }
    }
    for file in files.dropFirst() where file != log {
      // A page number that is far after the end is none.
      let limit = 2 * images.count + 1000
      for record in JournalCheck.records(in: file.image, pageSize: pageSize, limit: limit) {
        add(file, record.start, record.page, .journal)
      }
    }
    self.images = images
    databaseCount = images.count { $0.source == .database }
    transactionEnds = Self.ends(ofTransactions: frames.map(\.isCommit))
    index(appliedCount: log.map { WALCheck.committedCount(in: $0.image) } ?? 0)
  }

  /// Returns for each frame the last one of its transaction, from whether each is a commit.
  private static func ends(ofTransactions isCommit: [Bool]) -> [Int] {
    var ends = Array(isCommit.indices)
    for ordinal in isCommit.indices.dropLast().reversed() where !isCommit[ordinal] {
      ends[ordinal] = ends[ordinal + 1]
    }
    return ends
  }

  /// Notes the position of each image, if SQLite applies the first `appliedCount` frames.
  private mutating func index(appliedCount: Int) {
    for (position, image) in images.enumerated() {
      switch image.source {
      case .database:
        current[image.number] = position
      case .frame(let ordinal):
        frames[image.number, default: []].append(position)
        if ordinal < appliedCount { current[image.number] = position }
      case .journal:
        journal[image.number] = position
        if image.image[0] != 0 { current[image.number] = position }
      }
    }
  }

  /// Returns the image of page `number` that was read together with `page`, or `nil` if there is
  /// none.
  func image(_ number: Int, with page: PageImage) -> PageImage? {
    let database =
      (1...max(1, databaseCount)).contains(number) && databaseCount > 0 ? number - 1 : nil
    let position: Int? =
      switch page.source {
      case .database: database
      case .journal: journal[number] ?? database
      case .frame(let ordinal):
        lastFrame(of: number, upTo: transactionEnds[ordinal]) ?? database
      }
    return position.map { images[$0] }
  }

  /// Returns the position of the last image of page `number` in the frames up to number `last`.
  private func lastFrame(of number: Int, upTo last: Int) -> Int? {
    guard let positions = frames[number] else { return nil }
    // The frames follow the database, in their order.
    let end = positions.partitioningIndex { $0 > databaseCount + last }
    return end == 0 ? nil : positions[end - 1]
  }

  /// Returns the size of pages that the headers of `files` state, or with which most pages of the
  /// database are leaves that end with what SQLite wrote first.
  private static func pageSize(in files: [StoreFile]) -> Int? {
    let stated =
      files.prefix(1).compactMap { SQLiteFiles.pageSize(of: $0.image) }
      + files.dropFirst().compactMap { WALCheck.pageSize(in: $0.image) }
    if let size = stated.first(where: { (512...65536).contains($0) && $0.nonzeroBitCount == 1 }) {
      return size
    }
    guard let main = files.first else { return nil }
    let counts = (9...16).map { exponent in
      let size = 1 << exponent
      let pages = stride(from: size, through: main.image.count - size, by: size)
      return (size, count: pages.count { isLeaf(main, $0, size) })
    }
    return counts.max { $0.count < $1.count }.flatMap { $0.count > 0 ? $0.0 : nil }
  }

  private static func isLeaf(_ file: StoreFile, _ start: Int, _ size: Int) -> Bool {
    guard file.image[start] == 13 || file.image[start] == 10 else { return false }
    let page = PageImage(
      image: file.image, file: file.index, start: start, count: size, number: 2,
      source: .database)
    guard let tree = TreePage(page) else { return false }
    let ends = tree.cells.map { $0 + (CellReader.extent(of: $0, in: tree, page)?.count ?? 0) }
    let end = (ends + tree.freeblocks.map(\.upperBound)).max() ?? 0
    // Fewer than four bytes are no freeblock.
    return !tree.cells.isEmpty && (size - 3...size).contains(end)
  }
}
