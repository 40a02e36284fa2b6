import KVSystem
import SystemPackage

/// A dictionary whose keys are paths, or names, compared by their bytes.
///
/// To hash and compare a `FilePath` itself takes several times as long.
struct PathTable<Value> {
  /// The bytes of a path.
  private struct Key: Hashable {
    let bytes: [UInt8]

    // All bytes at once, and not one by one.
    func hash(into hasher: inout Hasher) {
      unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
  }

  private var values: [Key: Value] = [:]

  /// Creates an empty table.
  init() {}

  /// The value for the path or name with the given bytes; `nil` if there is none.
  subscript(_ bytes: [UInt8]) -> Value? {
    get { values[Key(bytes: bytes)] }
    set { values[Key(bytes: bytes)] = newValue }
  }

  /// The value for `path`; `nil` if there is none.
  subscript(_ path: FilePath) -> Value? {
    get { self[path.bytes] }
    set { self[path.bytes] = newValue }
  }

  /// Changes the value for `path`, which is `initial` if there is none.
  mutating func change(
    _ path: FilePath, from initial: @autoclosure () -> Value, _ body: (inout Value) -> Void
  ) {
    body(&values[Key(bytes: path.bytes), default: initial()])
  }

  /// The paths, each with its value.
  var pairs: some Sequence<(path: FilePath, value: Value)> {
    values.lazy.map { (FilePath(bytes: $0.key.bytes), $0.value) }
  }

  /// Removes the values for all paths except `paths`.
  mutating func keepOnly(_ paths: Set<FilePath>) {
    let keys = Set(paths.map { Key(bytes: $0.bytes) })
    values = values.filter { keys.contains($0.key) }
  }
}

extension PathTable: Sendable where Value: Sendable {}
