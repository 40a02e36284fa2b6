import KVBytes
package import KVModel

/// The runs of zeros in bytes of which the writer leaves none in a row: texts, keys, documents.
///
/// A file system that loses power gives pages that never reached the disk as zeros. In a format
/// without a checksum, such a run inside a text looks like a part of it. No app writes as many null
/// characters in a row, so the bytes are damage.
///
/// Bytes that may be zeros, such as data and numbers, are for the format to judge.
package struct ZeroRuns: Hashable {
  /// The smallest number of zeros in a row that counts: as many as in a log.
  package static let leastCount = SegmentationCost.holeCount

  /// The runs, in ascending order.
  package private(set) var ranges: [Range<Int>] = []

  /// Finds the runs in `range` of `bytes`.
  ///
  /// - Precondition: `range` lies within the bytes.
  /// - Complexity: O(`range.count`).
  package init(in bytes: Span<UInt8>, _ range: Range<Int>) {
    var offset = range.lowerBound
    while range.upperBound - offset >= Self.leastCount {
      // A run covers the last byte of the smallest run that could begin here.
      var start = offset + Self.leastCount - 1
      guard bytes[start] == 0 else {
        offset = start + 1
        continue
      }
      while start > offset, bytes[start - 1] == 0 { start -= 1 }
      var input = ByteCursor(bytes, in: start..<range.upperBound)
      let run = input.readZeros()
      if run.count >= Self.leastCount { ranges.append(run) }
      offset = run.upperBound
    }
  }

  /// Finds the runs of null characters in `text`, as ranges of its UTF-8 bytes.
  package init(in text: String) {
    let bytes = Array(text.utf8)
    self.init(in: bytes.storageSpan, bytes.indices)
  }

  /// Returns whether a run lies in `range` at least in part, or begins where `range` ends.
  ///
  /// The bytes before a run may have been written at another time than those that were lost.
  ///
  /// - Complexity: O(`ranges.count`).
  package func touch(_ range: Range<Int>) -> Bool {
    ByteRanges(ranges).touch(range)
  }

  /// Returns the finding of `run`, one of the runs in the bytes of `file`; `subject` is what the
  /// zeros are in, such as `the text of "name"`.
  static func finding(of run: Range<Int>, in file: StoreFile, _ subject: String) -> Finding {
    let end =
      run.upperBound == file.image.count
      ? "to the end of the file" : "to \(Hexadecimal.text(run.upperBound, digits: 2))"
    return Finding(
      ZeroFindings.zeros, at: Extent(file.role, run),
      "\(run.count.grouped) zeros in a row in \(subject), from "
        + "\(Hexadecimal.text(run.lowerBound, digits: 2)) \(end): pages that never reached the disk, "
        + "or a torn write")
  }
}

/// The findings that several formats without a log can have.
package enum ZeroFindings {
  static let zeros = FindingCode(
    "value.zeros", .damage,
    means: """
      There are eight or more zeros in a row where the format has none, such as inside a text
      """,
    cause: .tear,
    remedy: """
      Compare the entries there, and the last one before, with a backup: they have \
      `may-be-damaged`
      """)

  static let trailing = FindingCode(
    "value.trailing-zeros", .warning,
    means: "A value has zeros up to the end of the file or of a sector of 512 bytes",
    cause: "The app wrote the zeros, or a page never reached the disk",
    remedy: "Compare the value with a backup; it has `may-be-damaged`")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  package static let all = [zeros, trailing]
}
