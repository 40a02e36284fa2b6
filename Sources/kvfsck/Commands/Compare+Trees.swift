import KVConversion
import KVInput
import KVModel
import KVRecovery
import KVReport
import KVSystem
import KVToolkit
import SystemPackage

extension Compare {
  /// Compares the stores below both paths: those at the same place in each are one store, at two times.
  func compareTrees(_ report: Reports) throws(ConvertFailure) -> ExitStatus {
    let schema = try typing.schema()
    var unread: [TreeScan.Result] = []
    let before = try stores(below: first, besides: &unread, report)
    let after = try stores(below: second, besides: &unread, report)
    guard !before.isEmpty || !after.isEmpty else {
      report.complain("no store was found in \(first), and none in \(second)")
      return .failed
    }
    var totals = TreeDifferences()
    var status: ExitStatus = []
    let names = Set(before.keys).union(after.keys).sorted { $0.lexicographicallyPrecedes($1) }
    for result in unread { status.formUnion(fail(result.outcome, &totals, report)) }
    for name in names {
      switch (before[name], after[name]) {
      case (let old?, let new?):
        status.formUnion(try compare(old, new, schema, &totals, report))
      // What cannot be read has neither come nor gone.
      case (let only?, nil) where only.outcome.isUnread,
        (nil, let only?) where only.outcome.isUnread:
        status.formUnion(fail(only.outcome, &totals, report))
      case (let old?, nil): add(.removed, old.outcome, &totals, report)
      case (nil, let new?): add(.added, new.outcome, &totals, report)
      case (nil, nil): break
      }
    }
    report(.treesCompared(totals))
    if exitCode, totals.differenceCount > 0 { status.formUnion(.repaired) }
    return status
  }

  private func fail(
    _ outcome: StoreOutcome, _ totals: inout TreeDifferences, _ report: Reports
  ) -> ExitStatus {
    totals.add(.failed)
    return StoreOpening.fail(outcome, report)
  }

  /// Returns the stores below `path`, by their place there; those in archives, each of which is read
  /// once, with their contents.
  ///
  /// `unread` gets what cannot be read at a place where there is something else.
  private func stores(
    below path: String, besides unread: inout [TreeScan.Result], _ report: Reports
  ) throws(ConvertFailure) -> [[UInt8]: TreeScan.Result] {
    let root = ProcessArguments.path(path)
    let scan: TreeScan
    do throws(DiscoveryError) {
      scan = try ScanOptions.scanOfAll(
        options, report, keeping: Folder.exists(root) ? .members : .all)
    } catch {
      throw .discovery(error)
    }
    var stores: [[UInt8]: TreeScan.Result] = [:]
    scan.results(of: TreeWalk([root]), overlapping: false) { result in
      // A folder and an archive of it have the same places.
      let place = Array(
        result.outcome.path.shownBytes.dropFirst(root.shownBytes.count)
          .drop { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "!") })
      guard let other = stores.updateValue(result, forKey: place) else { return !report.areUnread }
      if result.outcome.isUnread { stores[place] = other }
      unread += [other, result].filter(\.outcome.isUnread).prefix(1)
      return !report.areUnread
    }
    return stores
  }

  private func add(
    _ change: TreeDifferences.Change, _ outcome: StoreOutcome, _ totals: inout TreeDifferences,
    _ report: Reports
  ) {
    totals.add(change)
    report(.storeChanged(change, outcome))
  }

  /// Compares a store with what it was before.
  private func compare(
    _ old: TreeScan.Result, _ new: TreeScan.Result, _ schema: TypeSchema,
    _ totals: inout TreeDifferences, _ report: Reports
  ) throws(ConvertFailure) -> ExitStatus {
    let opener = SourceOpener(options: options, choices: choices, confidence: nil)
    let (before, statusBefore) = opener.open(old, report)
    let (after, statusAfter) = opener.open(new, report)
    guard let before, let after else {
      totals.add(.failed)
      return .failed
    }
    let comparison: Comparison
    do throws(ConversionError) {
      comparison = try Comparison(before, after, schema: schema)
    } catch {
      throw .conversion(error)
    }
    let status: ExitStatus = statusBefore.union(statusAfter).isEmpty ? [] : .damaged
    guard !comparison.differences.isEmpty else {
      totals.add(.same)
      return status
    }
    add(.changed, new.outcome, &totals, report)
    report(.compared(comparison, exit: status.rawValue))
    return status
  }
}
