#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Span where Element == UInt8 {
  /// Returns whether every byte in `range` is zero.
  func isZero(in range: Range<Int>) -> Bool { firstNonzero(in: range) == nil }

  /// Returns the offset of the first nonzero byte in `range`; `nil` if all are zero.
  ///
  /// - Precondition: `range` lies within the span.
  func firstNonzero(in range: Range<Int>) -> Int? {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    return unsafe withUnsafeBytes { buffer in
      var offset = range.lowerBound
      // Slack and unused pages are most of a small store, so 64 bytes are looked at in one step.
      while range.upperBound - offset >= 64 {
        var bits = unsafe buffer.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt64>.self)
        bits |= unsafe buffer.loadUnaligned(fromByteOffset: offset + 32, as: SIMD4<UInt64>.self)
        guard (bits[0] | bits[1]) | (bits[2] | bits[3]) == 0 else { break }
        offset += 64
      }
      while offset < range.upperBound {
        if unsafe buffer[offset] != 0 { return offset }
        offset += 1
      }
      return nil
    }
  }

  /// Returns the eight bytes at `offset` as a little-endian number.
  ///
  /// - Precondition: They lie within the span.
  @inlinable package func word(at offset: Int) -> UInt64 {
    precondition(offset >= 0 && offset <= count - 8)
    return unsafe withUnsafeBytes { buffer in
      unsafe UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
  }

  /// Returns the offset of the last nonzero byte in `range`; `nil` if all are zero.
  ///
  /// - Precondition: `range` lies within the span.
  package func lastNonzero(in range: Range<Int>) -> Int? {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    return unsafe withUnsafeBytes { buffer in
      var end = range.upperBound
      // Slack space is long and nearly always zero: read a cache line at a time.
      while end - range.lowerBound >= 64 {
        let line = unsafe buffer.loadUnaligned(
          fromByteOffset: end - 64, as: SIMD8<UInt64>.self)
        let half = line.lowHalf | line.highHalf
        let quarter = half.lowHalf | half.highHalf
        if quarter.x | quarter.y != 0 { break }
        end -= 64
      }
      while end - range.lowerBound >= 8 {
        guard unsafe buffer.loadUnaligned(fromByteOffset: end - 8, as: UInt64.self) == 0 else {
          break
        }
        end -= 8
      }
      while end > range.lowerBound {
        if unsafe buffer[end - 1] != 0 { return end - 1 }
        end -= 1
      }
      return nil
    }
  }

  /// Returns whether every byte in `range` is a printable ASCII character.
  ///
  /// - Precondition: `range` lies within the span.
  package func isPrintableASCII(in range: Range<Int>) -> Bool {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    return unsafe withUnsafeBytes { buffer in
      // The highest bit of a byte is set in the result if that byte is not printable.
      func others(_ offset: Int) -> UInt64 {
        let word = unsafe buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        let controls = (word &- 0x2020_2020_2020_2020) & ~word
        let deletions = word ^ 0x7f7f_7f7f_7f7f_7f7f
        let isDeletion = (deletions &- 0x0101_0101_0101_0101) & ~deletions
        return (word | controls | isDeletion) & 0x8080_8080_8080_8080
      }
      var offset = range.lowerBound
      while range.upperBound - offset >= 8 {
        if others(offset) != 0 { return false }
        offset += 8
      }
      // The remaining bytes of a longer range, together with some before them.
      if range.count >= 8 { return others(range.upperBound - 8) == 0 }
      while offset < range.upperBound {
        guard unsafe (0x20...0x7e).contains(buffer[offset]) else { return false }
        offset += 1
      }
      return true
    }
  }

  /// Returns the exclusive or of the bytes in `range`, each shifted to the lane of its offset
  /// modulo 8.
  ///
  /// - Precondition: `range` lies within the span.
  func exclusiveOrOfLanes(in range: Range<Int>) -> UInt64 {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    return unsafe withUnsafeBytes { buffer in
      var lanes: UInt64 = 0
      var offset = range.lowerBound
      func word(_ offset: Int) -> UInt64 {
        unsafe UInt64(
          littleEndian: buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      }
      while offset < range.upperBound {
        if offset % 8 == 0, range.upperBound - offset >= 32 {
          lanes ^= word(offset) ^ word(offset + 8) ^ word(offset + 16) ^ word(offset + 24)
          offset += 32
        } else if offset % 8 == 0, range.upperBound - offset >= 8 {
          lanes ^= word(offset)
          offset += 8
        } else {
          lanes ^= unsafe UInt64(buffer[offset]) << UInt64(offset % 8 * 8)
          offset += 1
        }
      }
      return lanes
    }
  }

  /// Returns the offset of the first occurrence of `pattern`, which is not empty, in `range`.
  ///
  /// - Precondition: `range` lies within the span.
  package func firstOccurrence(of pattern: Span<UInt8>, in range: Range<Int>) -> Int? {
    precondition(range.lowerBound >= 0 && range.upperBound <= count && pattern.count > 0)
    // Zeros are everywhere, so another byte is looked for first.
    let sought = pattern.firstNonzero(in: 0..<pattern.count) ?? 0
    let end = range.upperBound - pattern.count + 1
    return unsafe withUnsafeBytes { bytes in
      unsafe pattern.withUnsafeBytes { wanted in
        guard let start = bytes.baseAddress, let first = wanted.baseAddress else { return nil }
        var offset = range.lowerBound
        while offset < end,
          let found = unsafe memchr(start + offset + sought, CInt(wanted[sought]), end - offset)
        {
          offset = unsafe UnsafeRawPointer(found) - start - sought
          if unsafe memcmp(start + offset, first, wanted.count) == 0 { return offset }
          offset += 1
        }
        return nil
      }
    }
  }

  /// Returns whether the bytes in the two ranges are equal.
  ///
  /// - Precondition: Both ranges lie within the span.
  @inlinable public func isEqual(_ first: Range<Int>, _ second: Range<Int>) -> Bool {
    precondition(first.lowerBound >= 0 && first.upperBound <= count)
    precondition(second.lowerBound >= 0 && second.upperBound <= count)
    guard first.count == second.count else { return false }
    return unsafe withUnsafeBytes { buffer in
      func word(_ offset: Int) -> UInt64 {
        unsafe buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      }
      var index = 0
      while first.count - index >= 8 {
        if word(first.lowerBound + index) != word(second.lowerBound + index) { return false }
        index += 8
      }
      // Compare the remaining bytes of a longer range together with some before them.
      if first.count >= 8 { return word(first.upperBound - 8) == word(second.upperBound - 8) }
      while index < first.count {
        if unsafe buffer[first.lowerBound + index] != buffer[second.lowerBound + index] {
          return false
        }
        index += 1
      }
      return true
    }
  }

  /// Returns whether this span and `other` hold the same bytes.
  package func isEqual(to other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    return unsafe withUnsafeBytes { bytes in
      unsafe other.withUnsafeBytes { others in
        guard let first = bytes.baseAddress, let second = others.baseAddress else { return true }
        // What was copied without a change has the same place.
        return unsafe first == second || memcmp(first, second, bytes.count) == 0
      }
    }
  }

  /// Feeds the bytes and their count to `hasher`.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    unsafe withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
  }

  /// Returns a hash of the bytes in `range` for tables in memory; it depends on `seed`.
  ///
  /// Multiplies and folds eight bytes at a time, as wyhash does. Each table chooses its seed at
  /// random, so that no file can be crafted to fill it with colliding keys.
  ///
  /// - Precondition: `range` lies within the span.
  @inlinable public func hash(in range: Range<Int>, seed: UInt64) -> UInt64 {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    return unsafe withUnsafeBytes { buffer in
      var state = seed ^ UInt64(truncatingIfNeeded: range.count) &* 0x9e37_79b9_7f4a_7c15
      var offset = range.lowerBound
      while range.upperBound - offset >= 8 {
        let word = unsafe buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        state = folded(state ^ word, 0xa076_1d64_78bd_642f ^ seed)
        offset += 8
      }
      var tail: UInt64 = 0
      if range.count >= 8 {
        // The last eight bytes, some of which may have been hashed already.
        tail = unsafe buffer.loadUnaligned(
          fromByteOffset: range.upperBound - 8, as: UInt64.self)
        offset = range.upperBound
      }
      while offset < range.upperBound {
        tail = unsafe tail << 8 | UInt64(buffer[offset])
        offset += 1
      }
      return folded(state ^ tail, 0xe703_7ed1_a0b4_28db ^ seed)
    }
  }
}

/// Returns the exclusive or of the two halves of the 128-bit product.
@inlinable func folded(_ a: UInt64, _ b: UInt64) -> UInt64 {
  let product = a.multipliedFullWidth(by: b)
  return product.high ^ product.low
}
