package import SystemPackage

/// How strongly the bytes of a value support a reading.
///
/// The type has five steps instead of being a number, because the true frequencies are unknown. A
/// step says only what kind of evidence there is.
package enum Likelihood: Int, Hashable, Sendable, Comparable, CaseIterable {
  /// Hardly any value of another type has these bytes.
  case compelling
  /// The content is typical of the type.
  case likely
  /// The type fits, and nothing suggests another one.
  case plausible
  /// The type fits, but other types explain the bytes better.
  case possible
  /// The type fits any bytes of this count, and the content is unusual for it.
  case remote

  /// Returns whether `one` is likelier than `other`, so that sorting puts the likeliest first.
  package static func < (one: Likelihood, other: Likelihood) -> Bool {
    one.rawValue < other.rawValue
  }
}

/// One possible interpretation of untyped bytes, and the reason for it.
package struct Reading: Hashable, Sendable {
  /// The value, if the reading is right; only its beginning if ``count`` is not `nil`.
  package let value: Value
  /// The evidence for the reading, for people.
  package let reason: String
  /// How strong that evidence is.
  package let likelihood: Likelihood
  /// The number of elements of the whole value, or of bytes of a text or of binary data, if
  /// ``value`` is only its beginning; `nil` if ``value`` is complete.
  package let count: Int?

  /// The class that the record names for its value; `nil` if that adds nothing to the value's type.
  package let className: String?

  /// Creates a reading with the evidence for it.
  package init(
    _ value: Value, count: Int? = nil, className: String? = nil,
    _ likelihood: Likelihood = .compelling, because reason: String
  ) {
    self.value = value
    self.count = count
    self.className = className
    self.likelihood = likelihood
    self.reason = reason
  }

  /// Returns the same reading with another value.
  ///
  /// The value is complete if `count` is `nil`. Otherwise it is the beginning of a value of that
  /// count.
  package func with(_ value: Value, count: Int? = nil) -> Reading {
    Reading(value, count: count, className: className, likelihood, because: reason)
  }

  /// Returns the reading with at most the first `limit` bytes of a text, of binary data, or of the
  /// texts of a set.
  func keeping(_ limit: Int) -> Reading {
    func cut(_ bytes: [UInt8], _ value: ([UInt8]) -> Value) -> Reading {
      bytes.count <= limit ? self : with(value(Array(bytes.prefix(limit))), count: bytes.count)
    }
    switch value {
    case .string(let text): return cut(text) { .string($0) }
    case .json(let text): return cut(text) { .json($0) }
    case .bytes(let bytes): return cut(bytes) { .bytes($0) }
    case .raw(let bytes): return cut(bytes) { .raw($0) }
    case .keyedArchive(let name, let bytes):
      return cut(bytes) { .keyedArchive(className: name, $0) }
    case .object(let name, let bytes): return cut(bytes) { .object(className: name, $0) }
    case .set(let texts):
      var rest = limit
      let first = texts.prefix { text in
        // An element takes at least one byte, for its length.
        rest -= 1 + (text?.utf8.count ?? 0)
        return rest >= 0
      }
      return first.count == texts.count
        ? self
        : with(.set(Array(first)), count: texts.count)
    default: return self
    }

    func cut(_ text: String, _ value: (String) -> Value) -> Reading {
      let bytes = text.utf8
      guard bytes.count > limit else { return self }
      var end = bytes.index(bytes.startIndex, offsetBy: limit)
      while end > bytes.startIndex, bytes[end] & 0xc0 == 0x80 { end = bytes.index(before: end) }
      return with(value(String(text.unicodeScalars[..<end])), count: bytes.count)
    }
  }
}

/// The origin of an entry, and what verifies it.
package struct EntryOrigin: Hashable, Sendable {
  /// The strength of the evidence for the entry.
  package let evidence: Evidence
  /// The faults that no checksum rules out.
  package let cautions: [Caution]
  /// The bytes of the entry's record or element; `nil` if the format does not provide them.
  package let place: Place?
  /// The value's bytes as the record stores them; `nil` if the format has no such bytes.
  package let raw: [UInt8]?
  /// The data file of the store that the entry comes from; `nil` if all entries come from one
  /// store.
  package let store: FilePath?

  /// Creates an origin.
  package init(
    _ evidence: Evidence, cautions: [Caution] = [], at place: Place? = nil, raw: [UInt8]? = nil,
    in store: FilePath? = nil
  ) {
    self.evidence = evidence
    self.cautions = cautions
    self.place = place
    self.raw = raw
    self.store = store
  }

  /// The extent of the entry's record or element, without the name of the file.
  package var extent: Extent? { place?.extent }

  /// Whether what looks like the entry's key is one, as ``Assessment/isOfSureKey`` has it.
  package var isOfSureKey: Bool { Assessment(evidence, cautions).isOfSureKey }

  /// The same origin with the caution that the entry may be damaged.
  var doubted: EntryOrigin {
    guard !cautions.contains(.mayBeDamaged) else { return self }
    return EntryOrigin(
      evidence, cautions: [.mayBeDamaged] + cautions, at: place, raw: raw, in: store)
  }

  /// Returns the same origin, marked as in `store`, one of several.
  package func within(_ store: FilePath?) -> EntryOrigin {
    EntryOrigin(evidence, cautions: cautions, at: place, raw: raw, in: store)
  }
}
