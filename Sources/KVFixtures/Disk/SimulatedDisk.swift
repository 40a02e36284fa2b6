import KVBytes
import KVModel

/// The files that an engine writes, in memory, with a record of every change.
package struct SimulatedDisk: Hashable, Sendable {
  /// The current files.
  package private(set) var image = DiskImage()
  /// The changes since the events were last taken, in order.
  private(set) var events: [DiskEvent] = []

  /// Creates a disk without files.
  init() {}

  /// Returns the events so far, and clears them.
  package mutating func takeEvents() -> [DiskEvent] {
    defer { events = [] }
    return events
  }

  /// Creates a file of `count` zero bytes.
  mutating func create(_ role: FileRole, _ name: String, count: Int = 0) {
    record(.create(role, name: name))
    if count > 0 { resize(name, to: count) }
  }

  /// Stores bytes in mapped memory, or writes them to a file that is long enough.
  mutating func store(_ bytes: some Sequence<UInt8>, in name: String, at offset: Int) {
    let bytes = Array(bytes)
    if !bytes.isEmpty { record(.store(name: name, offset: offset, bytes: bytes, isWord: false)) }
  }

  /// Writes bytes at the end of a file, in calls of at most `limit` bytes.
  mutating func append(_ bytes: [UInt8], to name: String, limit: Int) {
    for start in stride(from: 0, to: bytes.count, by: limit) {
      record(.append(name: name, bytes: Array(bytes[start..<min(start + limit, bytes.count)])))
    }
  }

  /// Stores one aligned machine word, which is stored completely or not at all.
  mutating func storeWord<T: FixedWidthInteger & UnsignedInteger>(
    _ word: T, in name: String, at offset: Int
  ) {
    var writer = ByteWriter()
    writer.writeInteger(word, as: .little)
    record(.store(name: name, offset: offset, bytes: writer.bytes, isWord: true))
  }

  /// Resizes a file.
  mutating func resize(_ name: String, to count: Int) {
    record(.resize(name: name, count: count))
  }

  /// Waits until a file is on disk.
  mutating func sync(_ name: String) { record(.sync(name: name)) }

  /// Renames a file over another one.
  mutating func rename(_ name: String, to new: String, as role: FileRole) {
    record(.rename(name: name, to: new, role))
  }

  /// Deletes a file.
  mutating func remove(_ name: String) { record(.remove(name: name)) }

  /// Returns the contents of a file, or an empty array if there is no such file.
  func bytes(of name: String) -> [UInt8] { image[name]?.bytes ?? [] }

  private mutating func record(_ event: DiskEvent) {
    image.apply(event)
    events.append(event)
  }
}
