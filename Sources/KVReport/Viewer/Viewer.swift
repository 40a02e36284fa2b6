import KVBytes
package import KVConversion
package import KVModel
package import KVRecovery

/// A store on a screen: its keys, the history of a key, a value, or the bytes of a file.
///
/// Keys on the keyboard change what is shown and nothing else. The content of a row is computed
/// when it comes into view.
package struct Viewer<S: Store>: ScreenModel {
  /// The kind of page that fills the screen.
  enum Page {
    case keys
    case history(Key, [ViewedState<S>.Row])
    case value(ViewedState<S>.Row)
    case bytes(BytePosition)
    case help
  }

  /// A page and its scroll position.
  struct Place {
    var page: Page
    var scroll = Scroll()
    /// The lines of a text page, and the width to which they are folded.
    var text: (lines: [ScreenLine], width: Int)?
  }

  let store: S
  let diagnosis: Diagnosis
  let detail: ValueDetail
  private let planner: RepairPlanner
  private let schema: TypeSchema
  /// The states that can be shown, beginning with the one that `dump` shows.
  private let names: [StateName]
  private var nameIndex = 0
  var viewed: ViewedState<S>
  /// Whether keys that are not live are listed.
  var showsOthers = false
  var filter = KeyFilter()
  /// The open pages, the visible one last.
  var places = [Place(page: .keys)]

  /// The size of the screen.
  package var size = ScreenSize(width: 80, height: 24)

  /// Creates a viewer of the store as `planner` reads it; `nil` if nothing in the store can be
  /// read.
  ///
  /// `schema` decides the types of values, and `detail` how they are shown.
  package init?(
    _ store: S, _ diagnosis: Diagnosis, _ planner: RepairPlanner, _ schema: TypeSchema = .empty,
    detail: ValueDetail
  ) {
    guard let plan = planner.plan(store, given: diagnosis),
      let state = diagnosis.state(plan.state) ?? diagnosis.best
    else { return nil }
    self.store = store
    self.diagnosis = diagnosis
    self.detail = detail
    self.planner = planner
    self.schema = schema
    names = [plan.state] + diagnosis.states.map(\.name).filter { $0 != plan.state }
    viewed = ViewedState(store, plan, state, schema)
  }

  /// The visible page.
  var place: Place {
    get { places[places.count - 1] }
    set { places[places.count - 1] = newValue }
  }

  // MARK: Keys

  /// Handles `key`; returns `false` if it asks to quit.
  package mutating func press(_ key: ScreenKey) -> Bool {
    if filter.isTyped {
      if filter.type(key) { listChanged(isFiltered: true) }
      return true
    }
    findMatches()
    if case .bytes(var position) = place.page, position.move(key, bodyHeight) {
      place.page = .bytes(position)
      return true
    }
    if place.scroll.move(key, count: rowCount, height: bodyHeight, isList: isList) { return true }
    switch key {
    case .escape where places.count == 1 && filter.isOn:
      filter = KeyFilter()
      listChanged()
    case .escape, .backspace, .left, "q", "h": return back(isQuit: key == "q")
    case "?": if case .help = place.page {} else { open(.help) }
    case "n": step(by: 1)
    case "p", "N": step(by: -1)
    default: if let row = selectedRow { open(key, row) }
    }
    if places.count == 1 { pressInList(key) }
    return true
  }

  private mutating func back(isQuit: Bool) -> Bool {
    guard places.count > 1 else { return !isQuit }
    places.removeLast()
    return true
  }

  private mutating func pressInList(_ key: ScreenKey) {
    switch key {
    case "/": filter.isTyped = true
    case "s": showNextState()
    case "a":
      showsOthers.toggle()
      if showsOthers { viewed.readOthers() }
      listChanged()
    default: break
    }
  }

  /// Opens the page for `row` that `key` asks for.
  private mutating func open(_ key: ScreenKey, _ row: ViewedState<S>.Row) {
    switch (key, place.page) {
    case (_, .help), (_, .bytes): break
    case (.enter, .keys), (.right, .keys), ("l", .keys), ("v", .keys),
      (.enter, .history), (.right, .history), ("l", .history), ("v", .history):
      open(.value(row))
    case ("r", .keys), ("r", .value):
      open(.history(viewed.key(of: row), viewed.history(of: viewed.key(of: row))))
    case ("x", _):
      viewed.readHistory()
      open(.bytes(BytePosition(at: row.record, in: store)))
    default: break
    }
  }

  private mutating func open(_ page: Page) { places.append(Place(page: page)) }

  /// Opens the same page for the next or the previous key of the list.
  private mutating func step(by count: Int) {
    let number = places[0].scroll.selected + count
    guard (0..<listCount).contains(number) else { return }
    places[0].scroll.selected = number
    guard places.count > 1 else { return }
    let opener: ScreenKey
    switch places[1].page {
    case .history: opener = "r"
    case .value: opener = "v"
    case .bytes: opener = "x"
    case .keys, .help: return
    }
    places.removeSubrange(1...)
    open(opener, viewed.row(listed(number)))
  }

  private mutating func showNextState() {
    for _ in names {
      nameIndex = (nameIndex + 1) % names.count
      var planner = planner
      if nameIndex > 0 { planner.state = names[nameIndex] }
      guard let plan = planner.plan(store, given: diagnosis),
        let state = diagnosis.state(plan.state) ?? diagnosis.best
      else { continue }
      viewed = ViewedState(store, plan, state, schema)
      if showsOthers { viewed.readOthers() }
      return listChanged()
    }
  }

  private mutating func listChanged(isFiltered: Bool = false) {
    if !isFiltered { filter.reset() }
    places[0].scroll = Scroll()
  }

  // MARK: Lines

  /// The number of lines between the headings and the bottom line.
  var bodyHeight: Int { max(0, size.height - (hasHeading ? 3 : 1)) }
  private var hasHeading: Bool { size.height >= 5 }

  /// Returns the lines of the screen, as many as it has, none wider than it.
  package mutating func lines() -> [ScreenLine] {
    guard size.height > 0, size.width > 0 else { return [] }
    findMatches()
    if case .bytes(var position) = place.page {
      position.fit(to: size.width, height: bodyHeight)
      place.page = .bytes(position)
    } else {
      layText()
      place.scroll.settle(count: rowCount, height: bodyHeight, isList: isList)
    }
    var lines: [ScreenLine] = []
    if hasHeading {
      lines += [ScreenLine(verdict, .title), ScreenLine(heading, .dim)]
        .map { $0.fitted(to: size.width) }
    }
    let body = bodyLines()
    lines += body + Array(repeating: ScreenLine(), count: bodyHeight - body.count)
    lines.append(bottom.fitted(to: size.width))
    return lines
  }

  private func bodyLines() -> [ScreenLine] {
    if case .bytes(let position) = place.page { return byteLines(position) }
    let rows = place.scroll.top..<min(rowCount, place.scroll.top + bodyHeight)
    return rows.map { number in
      let line =
        switch place.page {
        case .keys: keyLine(viewed.row(listed(number)))
        case .history(_, let records): historyLine(records[number])
        case .value, .help, .bytes: place.text?.lines[number] ?? ScreenLine()
        }
      return line.fitted(
        to: size.width, selected: isList && number == place.scroll.selected)
    }
  }

  /// The store in one sentence.
  private var verdict: String {
    let damage = diagnosis.findings.count { $0.severity == .damage }
    return "\(diagnosis.isEmptied ? "emptied" : diagnosis.verdict.rawValue), "
      + diagnosis.entries.words
      + (damage > 0 ? ", \(Plural.count(damage, "finding", "findings")) of damage" : "")
      + ", \(store.formatName): " + DisplayText.path(store.files.first?.path)
  }

  private var heading: String {
    switch place.page {
    case .keys:
      let name = viewed.plan.state
      let isSeen = StateName.isCurrentSeen(diagnosis.states, diagnosis.predictions)
      let count = listCount == 0 ? "0" : (place.scroll.selected + 1).grouped
      // What changes with each key comes first, as a narrow screen cuts the rest.
      return "key \(count) of " + listCount.grouped
        + (filter.text.isEmpty ? "" : ", containing \"\(filter.text)\"")
        + (showsOthers ? ", including removed and older ones" : "")
        + ": \(name.meaning(isSeenByApp: isSeen)) (\(name.rawValue))"
    case .history(let key, let records):
      return "history of \(DisplayText.key(key)): "
        + Plural.count(records.count, "record", "records")
    case .value(let row): return "value of \(DisplayText.key(viewed.key(of: row)))"
    case .bytes(let position): return position.heading(of: store)
    case .help: return "keyboard shortcuts"
    }
  }

  private var bottom: ScreenLine {
    if filter.isTyped { return ScreenLine("/\(filter.text)_", .title) }
    if case .bytes(let position) = place.page { return ScreenLine(meaning(at: position), .dim) }
    guard isList else { return ScreenLine("q back  ? help", .dim) }
    guard let row = selectedRow else {
      return ScreenLine(filter.isOn ? "no key contains that; Esc lists all" : "no entries", .dim)
    }
    return ScreenLine(note(on: row) + "  ? help", .dim)
  }

  // MARK: Rows

  private var isList: Bool {
    switch place.page {
    case .keys, .history: true
    case .value, .help, .bytes: false
    }
  }

  private var rowCount: Int {
    switch place.page {
    case .keys: listCount
    case .history(_, let records): records.count
    case .value, .help, .bytes: place.text?.lines.count ?? 0
    }
  }

  /// The selected record, or the one that the page is about.
  private var selectedRow: ViewedState<S>.Row? {
    switch place.page {
    case .keys:
      place.scroll.selected < listCount ? viewed.row(listed(place.scroll.selected)) : nil
    case .history(_, let records):
      place.scroll.selected < records.count ? records[place.scroll.selected] : nil
    case .value(let row): row
    case .bytes, .help: nil
    }
  }
}

extension ScreenKey: ExpressibleByUnicodeScalarLiteral {
  /// Creates the key of a character.
  package init(unicodeScalarLiteral scalar: Unicode.Scalar) { self = .character(scalar) }
}
