import FastKVFormat
import KVBytes
import KVModel

/// Opening and clearing a store.
extension AndroidFastKVSimulator {
  /// Opens the store.
  ///
  /// As FastKV.loadData, for files that this engine wrote: they were all written in one mode, and
  /// no copy is truncated.
  mutating func open() {
    forget()
    if isMapped {
      openCopies()
    } else if disk.image[replacedName] != nil {
      let bytes = disk.bytes(of: replacedName)
      let count = capacity(from: page, for: bytes.count)
      buffer = bytes + [UInt8](repeating: 0, count: count - bytes.count)
      if !load(replacedName) { clear() }
    }
  }

  /// Loads the two mapped copies, or creates them.
  ///
  /// As FileHelper.loadFromABFile.
  private mutating func openCopies() {
    if disk.image[copies[0]] == nil {
      disk.create(.copyA, copies[0])
      disk.create(.copyB, copies[1])
      return resize(to: page)
    }
    buffer = [UInt8](repeating: 0, count: disk.bytes(of: copies[0]).count)
    // If copy A is valid, B holds the same here: both are written before a call returns.
    if !load(copies[0]) { clear() }
  }

  /// Removes all entries.
  ///
  /// As FileHelper.clearData and deleteCFiles.
  mutating func clear() {
    end = AndroidHeader.byteCount
    checksum = 0
    if isMapped {
      for copy in copies {
        if disk.bytes(of: copy).count != page { disk.resize(copy, to: page) }
        storeWord(word, copy)
        storeChecksum(copy)
      }
    } else {
      for file in [replacedName, temporaryName] where disk.image[file] != nil {
        disk.remove(file)
      }
    }
    forget()
  }

  /// Resets the state in memory to that of an empty store.
  ///
  /// As FileHelper.resetMemory.
  private mutating func forget() {
    table = [:]
    invalid = []
    invalidCount = 0
    end = AndroidHeader.byteCount
    checksum = 0
    buffer = [UInt8](repeating: 0, count: page)
  }

  /// Loads the records of a file, and returns `false` if the engine rejects the file.
  ///
  /// As DataParser.parseData.
  private mutating func load(_ file: String) -> Bool {
    let image = FileImage(disk.bytes(of: file))
    let header = AndroidHeader(of: image)
    guard let count = header.count, count <= image.count - AndroidHeader.byteCount else {
      return false
    }
    end = AndroidHeader.byteCount + count
    checksum = header.checksum
    buffer.replaceSubrange(0..<end, with: image.bytes[..<end])
    var offset = AndroidHeader.byteCount
    while offset < end {
      guard
        case .success(let shape) = AndroidRecordShape.read(
          buffer.storageSpan, at: offset, limit: end)
      else { return false }
      if shape.isStruck {
        invalid.append(shape.range)
        invalidCount += shape.range.count
      } else if !load(shape) {
        return false
      }
      offset = shape.range.upperBound
    }
    return true
  }

  /// Loads a record, and returns `false` if the engine rejects the file because of it.
  private mutating func load(_ shape: AndroidRecordShape) -> Bool {
    guard let key = decrypted(shape.key), isText(key) else { return false }
    var entry = AndroidFastKVEntry(
      type: shape.type.base, start: shape.range.lowerBound, offset: shape.content.lowerBound,
      count: shape.content.count, value: Array(buffer[shape.content]))
    if shape.type.fixedCount != nil {
      if let cipher, shape.type != .boolean { entry.value = cipher.decryptNumber(entry.value) }
    } else {
      guard let content = decrypted(shape.content) else { return false }
      entry.value = content
      if entry.type == .string, !isText(content) { return false }
      if entry.type == .object {
        guard let tagCount = content.first.map(Int.init), tagCount < content.count else {
          return false
        }
        entry.value = Array(content[(1 + tagCount)...])
        // For a large object, the engine assumes that the length takes two bytes, and not four.
        entry.offset = shape.content.lowerBound - shape.type.lengthCount + 2
        let tag = String(decoding: content[1...tagCount], as: UTF8.self)
        // The engine ignores a set that it cannot decode, but keeps its record.
        if tag == StringSetTag.name,
          StringSet.elements(entry.value.storageSpan, entry.value.indices, isStrict: true) == nil
        {
          return true
        }
      }
    }
    table[Key(key)] = entry
    return true
  }

  private func decrypted(_ range: Range<Int>) -> [UInt8]? {
    let bytes = Array(buffer[range])
    guard let cipher, !bytes.isEmpty else { return bytes }
    return cipher.decrypt(bytes)
  }

  /// Returns whether the engine accepts the bytes as a string.
  ///
  /// Short strings must be valid and free of U+0000. Longer ones are not checked.
  private func isText(_ bytes: [UInt8]) -> Bool {
    guard bytes.count <= AndroidText.strictLimit else { return true }
    return switch AndroidText.form(bytes.storageSpan, bytes.indices) {
    case .withNUL, .malformed: false
    case .plain, .odd: true
    }
  }
}
