import KVBytes
import KVModel

/// How values can be stored in a property list.
struct PropertyListFitting {
  private static let name = PropertyListFormat.name
  private static let fitting = Fitting(format: name, hasInt32: false, hasUInt64: true)

  /// Whether the list is in XML.
  let isXML: Bool
  /// Whether XML has characters that it forbids.
  let holdsForbidden: Bool

  /// Returns why `text` cannot be stored; `nil` if it can.
  func obstacle(in text: String) -> String? {
    isXML && !holdsForbidden ? XMLText.obstacle(in: text) : nil
  }

  /// Returns how `value` can be stored inside `depth` containers, including the outermost
  /// dictionary.
  func fit(_ value: Value, depth: Int = 1) -> ValueFit {
    switch value {
    case .bool, .int64: return .held(value)
    case .int32, .uint32, .uint64: return Self.fitting.integer(value)
    case .float(let number): return float(number)
    case .double(let number):
      guard isXML, number.isNaN, number.bitPattern != Double.nan.bitPattern else {
        return .held(value)
      }
      return Self.fitting.changed(value, .double(.nan), "XML has only one NaN; its bits are lost")
    case .string(let text): return string(text, value)
    case .json(let text):
      return Self.fitting.retyped(value, .string(text)).then { string(text, $0) }
    case .bytes, .keyedArchive, .raw, .object:
      return Self.fitting.bytes(value).then(Self.fitting.archive)
    case .date(let seconds): return date(seconds)
    case .null: return .leftOut("\(Self.name) has no null")
    case .set(let texts): return set(texts, depth)
    case .list(let list): return self.list(list, depth)
    case .array(let values): return array(values, depth)
    case .dictionary(let members): return dictionary(members, depth)
    }
  }

  private func float(_ number: Float) -> ValueFit {
    let value = Value.float(number)
    guard isXML else { return .held(value) }
    guard number.isNaN else { return Self.fitting.retyped(value, .double(Double(number))) }
    let retyped = Self.fitting.retyped(value, .double(.nan))
    guard number.bitPattern != Float.nan.bitPattern else { return retyped }
    return Self.fitting.changed(value, .double(.nan), "XML has only one NaN; its bits are lost")
  }

  private func string(_ text: String, _ value: Value) -> ValueFit {
    guard let obstacle = obstacle(in: text) else { return .held(value) }
    return .leftOut(obstacle)
  }

  private func date(_ seconds: Double) -> ValueFit {
    let old = Value.date(seconds)
    guard seconds.isFinite else { return .leftOut("it is not a point in time: \(seconds)") }
    let new: Double
    if isXML {
      let whole = seconds.rounded(.down)
      guard PropertyListDate.text(whole) != nil else {
        return .leftOut("XML dates end with the year \(Int32.max)")
      }
      new = whole
    } else {
      new = (seconds - PropertyListFormat.epoch) + PropertyListFormat.epoch
    }
    guard new.bitPattern != seconds.bitPattern else { return .held(old) }
    return Self.fitting.changed(
      old, .date(new),
      isXML ? "XML dates have whole seconds" : "its last bits are lost in seconds since 2001")
  }

  // MARK: Containers

  private func set(_ texts: [String?], _ depth: Int) -> ValueFit {
    let plain = Fitting.unique(texts.compactMap(\.self))
    let hasNull = texts.contains { $0 == nil }
    let old = Value.set(texts)
    return array(plain.map { .string($0) }, depth).then { new in
      hasNull
        ? Self.fitting.changed(old, new, "\(Self.name) has no null; it is dropped")
        : Self.fitting.retyped(old, new)
    }
  }

  private func list(_ list: Value.List, _ depth: Int) -> ValueFit {
    switch array(Array(list), depth) {
    case .leftOut(let reason): return .leftOut(reason)
    case .held(let new, let losses):
      // The list's own loss states that the elements have another type.
      let own = Loss.typeChanged(.list(list), to: new, in: Self.name)
      return .held(new, [own] + losses.filter { $0.severity > .note })
    }
  }

  private func array(_ values: [Value], _ depth: Int) -> ValueFit {
    guard depth <= Value.maximumDepth else { return tooDeep }
    var fitted: [Value] = []
    var losses = Losses()
    for value in values {
      switch fit(value, depth: depth + 1) {
      case .held(let new, let more):
        fitted.append(new)
        losses.add(more)
      case .leftOut(let reason): return .leftOut("an element of its array: \(reason)")
      }
    }
    return .held(.array(fitted), losses.all)
  }

  private func dictionary(_ members: [Value.Member], _ depth: Int) -> ValueFit {
    guard depth <= Value.maximumDepth else { return tooDeep }
    let old = Value.dictionary(members)
    if old.archiveReference != nil { return .held(old) }
    if isXML, let number = old.archiveReferenceInXML {
      return Self.fitting.changed(
        old, .archiveReference(number),
        "readers of XML take it for a reference (UID) within a keyed archive")
    }
    var fitted: [Value.Member] = []
    var losses = Losses()
    var seen: Set<ByteText> = []
    var isShortened = false
    // Start at the end, because the last value of a name counts.
    for member in members.reversed() {
      guard member.value != .null, seen.insert(ByteText(member.name)).inserted else {
        isShortened = true
        continue
      }
      if let obstacle = obstacle(in: member.name) {
        return .leftOut("a name in its dictionary: \(obstacle)")
      }
      switch fit(member.value, depth: depth + 1) {
      case .held(let new, let more):
        fitted.append(.init(member.name, new))
        losses.add(more)
      case .leftOut(let reason): return .leftOut("a member of its dictionary: \(reason)")
      }
    }
    let new = Value.dictionary(fitted.reversed())
    if isShortened {
      losses.add([
        .valueChanged(
          .dictionary(members), to: new, "\(Self.name) has no null and no duplicate names")
      ])
    }
    return .held(new, losses.all)
  }

  private var tooDeep: ValueFit {
    .leftOut("containers are nested more than \(Value.maximumDepth) deep")
  }

  /// A list of losses without repetitions.
  private struct Losses {
    private(set) var all: [Loss] = []
    private var known: Set<Loss> = []

    mutating func add(_ losses: [Loss]) {
      for loss in losses where known.insert(loss).inserted { all.append(loss) }
    }
  }
}
