import KVBytes
package import KVModel

/// The files that an engine writes, in memory, with a record of each thing that it does to them.
package struct SimulatedDisk: Hashable, Sendable {
  /// The files as they are now.
  package private(set) var image = DiskImage()
  /// What was done since the events were taken last, in order.
  package private(set) var events: [DiskEvent] = []

  /// A disk without files.
  package init() {}

  /// Hands over the events so far, and forgets them.
  package mutating func takeEvents() -> [DiskEvent] {
    defer { events = [] }
    return events
  }

  /// Makes a file of `count` zero bytes.
  package mutating func create(_ role: FileRole, _ name: String, count: Int = 0) {
    record(.create(role, name: name))
    if count > 0 { resize(name, to: count) }
  }

  /// Stores bytes into mapped memory, or writes them into a file that is long enough.
  package mutating func store(_ bytes: some Sequence<UInt8>, in name: String, at offset: Int) {
    let bytes = Array(bytes)
    if !bytes.isEmpty { record(.store(name: name, offset: offset, bytes: bytes, isWord: false)) }
  }

  /// Stores one aligned machine word, which is there whole or not at all.
  package mutating func storeWord<T: FixedWidthInteger & UnsignedInteger>(
    _ word: T, in name: String, at offset: Int
  ) {
    var writer = ByteWriter()
    writer.writeInteger(word, as: .little)
    record(.store(name: name, offset: offset, bytes: writer.bytes, isWord: true))
  }

  /// Gives a file another length.
  package mutating func resize(_ name: String, to count: Int) {
    record(.resize(name: name, count: count))
  }

  /// Waits until a file is on the disk.
  package mutating func sync(_ name: String) { record(.sync(name: name)) }

  /// Puts a file in the place of another.
  package mutating func rename(_ name: String, to new: String, as role: FileRole) {
    record(.rename(name: name, to: new, role))
  }

  /// Deletes a file.
  package mutating func remove(_ name: String) { record(.remove(name: name)) }

  /// The bytes of a file; none where it is not there.
  package func bytes(of name: String) -> [UInt8] { image[name]?.bytes ?? [] }

  private mutating func record(_ event: DiskEvent) {
    image.apply(event)
    events.append(event)
  }
}
