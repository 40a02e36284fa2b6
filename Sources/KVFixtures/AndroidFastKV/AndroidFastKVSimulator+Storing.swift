import FastKVFormat
import KVBytes
import KVModel

/// Storing bytes in the files.
extension AndroidFastKVSimulator {
  /// The first header word of a copy while it is being written.
  private static let beingWritten = UInt32.max
  /// The maximum length of a file, in bytes.
  private static let fileLimit = 1 << 28

  /// Appends a record in memory.
  mutating func append(_ record: [UInt8]) throws(ScriptError) -> Range<Int> {
    try makeRoom(for: record.count)
    let range = end..<end + record.count
    buffer.replaceSubrange(range, with: record)
    checksum ^= lanes(of: range)
    end = range.upperBound
    return range
  }

  /// Marks a record as deleted in memory.
  ///
  /// As FastKV.remove(type, start, end): the flag is stored with the base type, so other flag bits
  /// are lost.
  mutating func strike(_ type: AndroidValueType, _ range: Range<Int>) {
    invalid.append(range)
    invalidCount += range.count
    replace(range.lowerBound..<range.lowerBound + 1, with: [type.rawValue | 0x80])
  }

  /// Replaces the bytes in `range` in memory, and updates the checksum.
  private mutating func replace(_ range: Range<Int>, with bytes: [UInt8]) {
    checksum ^= lanes(of: range)
    buffer.replaceSubrange(range, with: bytes)
    checksum ^= lanes(of: range)
  }

  func lanes(of range: Range<Int>) -> UInt64 {
    var lanes = XORLanes()
    lanes.update(buffer.storageSpan, in: range)
    return lanes.value
  }

  // MARK: Writing the copies

  /// Writes a record that was appended in memory to both copies, with the deletion flag of the
  /// record that it supersedes.
  ///
  /// As FastKV.updateChange: copy A is marked as being written. B need not be, because A is
  /// complete by then.
  mutating func publish(_ range: Range<Int>, struck: Int? = nil) {
    guard isMapped else { return putHeader() }
    func body(_ copy: String) {
      storeChecksum(copy)
      if let struck { disk.store([buffer[struck]], in: copy, at: struck) }
      disk.store(buffer[range], in: copy, at: range.lowerBound)
    }
    storeWord(Self.beingWritten, copies[0])
    body(copies[0])
    storeWord(word, copies[0])
    storeWord(word, copies[1])
    body(copies[1])
  }

  /// Writes a deletion flag to both copies.
  mutating func publishStrike(at offset: Int) {
    guard isMapped else { return putHeader() }
    for copy in copies {
      storeChecksum(copy)
      disk.store([buffer[offset]], in: copy, at: offset)
    }
  }

  /// Overwrites a number or Boolean in both copies.
  ///
  /// As FastKV.updateBoolean, updateInt32 and updateInt64, which do not mark copy A as being
  /// written.
  mutating func overwriteFixed(_ bytes: [UInt8], at offset: Int) {
    replace(offset..<offset + bytes.count, with: bytes)
    guard isMapped else { return putHeader() }
    for copy in copies {
      storeChecksum(copy)
      storeNumber(bytes, in: copy, at: offset)
    }
  }

  private mutating func storeNumber(_ bytes: [UInt8], in copy: String, at offset: Int) {
    let number = FileImage(bytes).littleEndian(in: bytes.indices)
    switch bytes.count {
    case 1: disk.storeWord(UInt8(truncatingIfNeeded: number), in: copy, at: offset)
    case 4 where offset % 4 == 0:
      disk.storeWord(UInt32(truncatingIfNeeded: number), in: copy, at: offset)
    case 8 where offset % 8 == 0: disk.storeWord(number, in: copy, at: offset)
    default: disk.store(bytes, in: copy, at: offset)
    }
  }

  /// Overwrites a string or data with one of the same length.
  ///
  /// As FastKV.updateBytes.
  mutating func overwrite(_ bytes: [UInt8], at offset: Int) {
    replace(offset..<offset + bytes.count, with: bytes)
    guard isMapped else { return putHeader() }
    storeWord(Self.beingWritten, copies[0])
    for copy in copies {
      storeChecksum(copy)
      disk.store(bytes, in: copy, at: offset)
      if copy == copies[0] { storeWord(word, copy) }
    }
  }

  /// Writes the records that a compaction moved.
  ///
  /// As GCHelper.updateBuffer.
  mutating func publishMoved(from start: Int) {
    guard isMapped else { return putHeader() }
    storeWord(Self.beingWritten, copies[0])
    storeChecksum(copies[0])
    disk.store(buffer[start..<end], in: copies[0], at: start)
    storeWord(word, copies[0])
    storeWord(word, copies[1])
    storeChecksum(copies[1])
    disk.store(buffer[start..<end], in: copies[1], at: start)
  }

  /// Writes the header of the file that will replace the current one, in memory.
  private mutating func putHeader() {
    let header = AndroidHeader(
      count: end - AndroidHeader.byteCount, isEncrypted: cipher != nil, checksum: checksum)
    buffer.replaceSubrange(0..<AndroidHeader.byteCount, with: header.bytes)
  }

  /// Stores the checksum of a copy.
  ///
  /// Its eight bytes are at offset 4. They share a cache line, so the store is not torn.
  mutating func storeChecksum(_ copy: String) {
    disk.storeWord(checksum, in: copy, at: AndroidHeader.checksumField.lowerBound)
  }

  mutating func storeWord(_ word: UInt32, _ copy: String) {
    disk.storeWord(word, in: copy, at: AndroidHeader.countField.lowerBound)
  }

  /// Replaces the file, in the modes that do so.
  ///
  /// As FileHelper.writeToCFile.
  mutating func commit() {
    guard !isMapped else { return }
    disk.create(
      disk.image[replacedName] == nil ? .copyC : .external, temporaryName, count: end)
    disk.store(buffer[..<end], in: temporaryName, at: 0)
    disk.sync(temporaryName)
    disk.rename(temporaryName, to: replacedName, as: .copyC)
  }

  // MARK: File lengths

  /// Makes room for one more record, by compacting the log or growing the files.
  ///
  /// As GCHelper.ensureSize.
  private mutating func makeRoom(for count: Int) throws(ScriptError) {
    let expected = end + count
    guard expected >= buffer.count else { return }
    guard expected < Self.fileLimit else {
      throw ScriptError(
        line: nil, "a store of FastKV for Android must be smaller than \(Self.fileLimit) bytes")
    }
    if invalidCount > count, invalidCount > Self.invalidByteLimit {
      collect(for: count)
    } else {
      resize(to: capacity(from: buffer.count, for: expected))
    }
  }

  /// Returns the length of a file for `expected` bytes: the current one, doubled until they fit.
  ///
  /// As FileHelper.getNewCapacity.
  func capacity(from count: Int, for expected: Int) -> Int {
    if expected <= page { return page }
    var capacity = count
    while capacity < expected { capacity *= 2 }
    return capacity
  }

  /// Resizes the buffer and the copies, and clears the buffer after the records.
  mutating func resize(to count: Int) {
    buffer = Array(buffer[..<end]) + [UInt8](repeating: 0, count: count - end)
    guard isMapped else { return }
    for copy in copies where disk.bytes(of: copy).count != count {
      disk.resize(copy, to: count)
    }
  }
}
