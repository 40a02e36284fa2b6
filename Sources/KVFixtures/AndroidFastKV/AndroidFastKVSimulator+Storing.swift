import FastKVFormat
import KVBytes
import KVModel

/// How bytes get into the files.
extension AndroidFastKVSimulator {
  /// The word of a copy that is being written.
  private static let beingWritten = UInt32.max
  /// The most bytes of a file.
  private static let fileLimit = 1 << 28

  /// Puts a record after what is there, in memory.
  mutating func append(_ record: [UInt8]) throws(ScriptError) -> Range<Int> {
    try makeRoom(for: record.count)
    let range = end..<end + record.count
    buffer.replaceSubrange(range, with: record)
    checksum ^= lanes(of: range)
    end = range.upperBound
    return range
  }

  /// Marks a record as dead, in memory.
  ///
  /// As FastKV.remove(type, start, end): the mark stands beside the type without its other bits.
  mutating func strike(_ type: AndroidValueType, _ range: Range<Int>) {
    invalid.append(range)
    invalidCount += range.count
    replace(range.lowerBound..<range.lowerBound + 1, with: [type.rawValue | 0x80])
  }

  /// Puts other bytes in the place of those in `range`, in memory.
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

  // MARK: To the copies

  /// Writes a record that is new in memory to both copies, with the mark of the one that it follows.
  ///
  /// As FastKV.updateChange: copy A says that it is being written, and B need not, as A is whole by
  /// then.
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

  /// Writes a mark to both copies.
  mutating func publishStrike(at offset: Int) {
    guard isMapped else { return putHeader() }
    for copy in copies {
      storeChecksum(copy)
      disk.store([buffer[offset]], in: copy, at: offset)
    }
  }

  /// Writes a number or truth value over the last one.
  ///
  /// As FastKV.updateBoolean, updateInt32 and updateInt64, which do not mark copy A.
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

  /// Writes a text or data of the same length over the last one, as FastKV.updateBytes.
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

  /// Writes what a compaction has moved, as GCHelper.updateBuffer.
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

  /// Writes the header of the file that will take the place of the last one.
  private mutating func putHeader() {
    let header = AndroidHeader(
      count: end - AndroidHeader.byteCount, isEncrypted: cipher != nil, checksum: checksum)
    buffer.replaceSubrange(0..<AndroidHeader.byteCount, with: header.bytes)
  }

  /// Eight bytes at an offset of four, which lie in one line of the cache.
  mutating func storeChecksum(_ copy: String) {
    disk.storeWord(checksum, in: copy, at: AndroidHeader.checksumField.lowerBound)
  }

  mutating func storeWord(_ word: UInt32, _ copy: String) {
    disk.storeWord(word, in: copy, at: AndroidHeader.countField.lowerBound)
  }

  /// Replaces the file in the modes that do so, as FileHelper.writeToCFile.
  mutating func commit() {
    guard !isMapped else { return }
    disk.create(
      disk.image[replacedName] == nil ? .copyC : .external, temporaryName, count: end)
    disk.store(buffer[..<end], in: temporaryName, at: 0)
    disk.sync(temporaryName)
    disk.rename(temporaryName, to: replacedName, as: .copyC)
  }

  // MARK: Lengths

  /// Makes room for one more record, by a compaction or by making the files longer.
  ///
  /// As GCHelper.ensureSize.
  private mutating func makeRoom(for count: Int) throws(ScriptError) {
    let expected = end + count
    guard expected >= buffer.count else { return }
    guard expected < Self.fileLimit else {
      throw ScriptError(
        line: nil, "FastKV for Android takes less than \(Self.fileLimit) bytes in all")
    }
    if invalidCount > count, invalidCount > Self.invalidByteLimit {
      collect(for: count)
    } else {
      resize(to: capacity(from: buffer.count, for: expected))
    }
  }

  /// As FileHelper.getNewCapacity.
  func capacity(from count: Int, for expected: Int) -> Int {
    if expected <= page { return page }
    var capacity = count
    while capacity < expected { capacity *= 2 }
    return capacity
  }

  /// Gives memory and copies another length; after the records the memory is zero then.
  mutating func resize(to count: Int) {
    buffer = Array(buffer[..<end]) + [UInt8](repeating: 0, count: count - end)
    guard isMapped else { return }
    for copy in copies where disk.bytes(of: copy).count != count {
      disk.resize(copy, to: count)
    }
  }
}
