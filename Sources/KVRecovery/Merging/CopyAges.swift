import KVBytes
import KVModel

/// Which copies of a log are older than others.
///
/// A log is appended to until it is rewritten. So if the logs begin alike, the longer one is newer. If
/// not, the number of rewrites decides or, where the format does not count them, the order in which the
/// copies were named.
struct CopyAges: Sendable {
  /// A copy, and the log that it states.
  struct Age: Sendable {
    let copy: Int
    let log: Extent
    let generation: Int
    let image: FileImage
    /// The digest of the log, if one is stored.
    var digest: UInt64?
  }

  /// The most bytes at the end of a log that can be 0.
  private static let zeroLimit = 17
  /// The largest difference in the number of rewrites that is believed.
  private static let rewriteLimit = 1 << 12

  /// The copies that state a log that was written up to its end; the fields of others are damaged.
  let ages: [Age]

  init<S: Store>(of alignment: CopyAlignment, like template: S) {
    ages = (0..<(alignment.files.first?.sources.count ?? 0)).compactMap { copy in
      let store = template.reading(
        alignment.files.compactMap { file in
          file.sources[copy].map { StoreFile(file.file.role, at: file.file.path, $0.image) }
        })
      guard let claim = store.lengthClaims.first, let log = claim.log, log.count > 0,
        let last = store.lastNonzero(in: log), last >= log.end - Self.zeroLimit
      else { return nil }
      return Age(
        copy: copy, log: log, generation: store.traits.olderLogCount ?? 0,
        image: store.stored(log.file), digest: claim.digest)
    }
  }

  /// The newest copy; `nil` if no copy states a log.
  var newest: Age? {
    ages.reduce(nil) { newest, age in newest.map { isNewer(age, than: $0) ? age : $0 } ?? age }
  }

  /// The copies that are older than the newest one.
  var older: [Age] {
    newest.map { newest in ages.filter { isNewer(newest, than: $0) } } ?? []
  }

  /// Returns whether `age` is newer than `other`.
  func isNewer(_ age: Age, than other: Age) -> Bool {
    if age.log == other.log || age.digest != nil && age.digest == other.digest { return false }
    let rewrites = age.generation - other.generation
    if rewrites != 0, abs(rewrites) < Self.rewriteLimit { return rewrites > 0 }
    return isContinued(age, other) ? age.log.count > other.log.count : age.copy > other.copy
  }

  /// Returns whether two logs begin alike, so that one continues the other.
  func isContinued(_ first: Age, _ second: Age) -> Bool {
    let range = first.log.range.clamped(to: second.log.range)
    let (one, other) = (first.image.storageSpan, second.image.storageSpan)
    var equal = 0
    for offset in range where one[offset] == other[offset] { equal += 1 }
    return equal > range.count / 2
  }
}
