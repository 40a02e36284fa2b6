import KVBytes
import KVModel

/// The verdict on a record, as the engine and as a reader sees it.
enum RecordVerdict: Hashable, Sendable {
  /// The engine loads the record, or skips it because it is deleted.
  case whole(Record)
  /// The engine skips this record alone: an object that its decoder does not accept.
  case skipped(Record)
  /// The record can be read, but the engine drops the whole file because of it.
  case refused(Record)
  /// The lengths fit, but they do not enclose a key and a value.
  case broken
}

/// Judges records as FastKV's `parseData` does.
///
/// Reference: `Docs/FORMAT-FASTKV-ANDROID.md` § Chain rules.
struct RecordJudge: Sendable {
  let copy: DecodedCopy

  /// Returns the verdict on the record at `shape`.
  ///
  /// - Complexity: O(count of the record).
  func verdict(on shape: AndroidRecordShape) -> RecordVerdict {
    guard let (key, content) = copy.ranges(of: shape) else {
      // The engine decrypts nothing in a deleted record, so it does not notice.
      return shape.isStruck ? .whole(record(shape, shape.key, shape.content)) : .broken
    }
    let value = self.value(shape, content)
    let record = self.record(shape, key, value ?? content)
    if shape.isStruck { return .whole(record) }
    if shape.isDisplaced { return value == nil ? .broken : .refused(record) }
    let bytes = copy.plain.storageSpan
    let form = AndroidText.form(bytes, key)
    if form == .malformed { return .broken }
    if shape.isExternal {
      guard isExternalName(content) else { return .broken }
      return form == .withNUL ? .refused(record) : .whole(record)
    }
    switch shape.type.base {
    case .string:
      if content.count > AndroidText.strictLimit { break }
      switch AndroidText.form(bytes, content) {
      case .malformed: return .broken
      case .withNUL: return AndroidText.hasHole(bytes, content) ? .broken : .refused(record)
      default: break
      }
    case .object:
      guard let value else { return content.isEmpty ? .refused(record) : .broken }
      let tag = content.lowerBound + 1..<value.lowerBound
      if AndroidText.form(bytes, tag) == .withNUL { return .refused(record) }
      if form != .withNUL, StringSetTag.isTag(bytes, tag),
        StringSet.elements(bytes, value, isStrict: true) == nil
      {
        return .skipped(record)
      }
    default: break
    }
    return form == .withNUL ? .refused(record) : .whole(record)
  }

  /// Returns the range of the value's data, for an object after its tag; `nil` if the tag is
  /// damaged.
  private func value(_ shape: AndroidRecordShape, _ content: Range<Int>) -> Range<Int>? {
    guard shape.type.base == .object, !shape.isExternal else { return content }
    guard let tagEnd = ObjectTag.end(copy.plain.storageSpan, content) else { return nil }
    return tagEnd..<content.upperBound
  }

  private func isExternalName(_ content: Range<Int>) -> Bool {
    content.count == AndroidRecordShape.externalNameCount
      && content.allSatisfy { ExternalName.isDigit(copy.plain[$0]) }
  }

  private func record(
    _ shape: AndroidRecordShape, _ key: Range<Int>, _ value: Range<Int>
  ) -> Record {
    Record(
      shape.isStruck ? .struckPut : .put, in: copy.role, at: shape.range, key: key, value: value)
  }
}
