import KVModel

/// The notes and counts of a conversion, collected while its entries pass.
///
/// This is a class because the encoder asks for the entries when it is ready for them, and the
/// closure that it calls has to share the counts with the conversion.
final class ConversionListing {
  /// The counts so far.
  private(set) var summary = Conversion.Summary()

  private let source: TypedSource
  private let keepsTypes: Bool
  private let keepsEvidence: Bool
  private let listsTypes: Bool
  private let body: (ConversionNote) -> Void
  /// The number of passes over the entries so far; only the first pass reports notes.
  private var passCount = 0

  /// Creates a listing for the conversion of `source` to the format of `encoder`; `body` gets the
  /// notes, those about types that were taken only if `listsTypes`.
  init(
    of source: TypedSource, by encoder: any EntryEncoder, listsTypes: Bool,
    _ body: @escaping (ConversionNote) -> Void
  ) {
    self.source = source
    self.listsTypes = listsTypes
    self.body = body
    keepsTypes = type(of: encoder).keepsTypes
    keepsEvidence = type(of: encoder).keepsEvidence
    summary.stores = source.stores
    summary.losses = source.findings.count { $0.finding.losesContent }
  }

  /// Begins a pass over the entries; the first pass reports what the source itself leaves out.
  func begin() {
    passCount += 1
    guard passCount == 1 else { return }
    for omitted in source.omitted {
      summary.leftOut += 1
      summary.add(omitted.loss, inTypes: keepsTypes)
      body(omitted)
    }
  }

  /// Counts an entry, and reports the losses of reading it and of its fit in the format.
  func add(_ entry: TypedEntry, _ losses: [Loss], _ fit: EntryFit) {
    guard passCount == 1 else { return }
    add(entry, losses, isLeftOut: fit.isLeftOut)
    for loss in fit.losses { note(loss, entry) }
  }

  /// Counts an entry that the format holds as it is, and reports the losses of reading it.
  func add(_ entry: TypedEntry, _ losses: [Loss]) {
    if passCount == 1 { add(entry, losses, isLeftOut: false) }
  }

  private func add(_ entry: TypedEntry, _ losses: [Loss], isLeftOut: Bool) {
    for loss in losses { note(loss, entry) }
    if !keepsEvidence, entry.origin.isUnverified, !isLeftOut {
      note(.unverified(entry.origin), entry)
    }
    if isLeftOut { summary.leftOut += 1 } else { summary.written += 1 }
  }

  /// Reports an entry that the engine would not return as written.
  func add(lostByEngine entry: TypedEntry) {
    summary.add(.engineLoss, inTypes: keepsTypes)
    body(ConversionNote(entry.key, .engineLoss, at: nil, in: entry.origin.store))
  }

  private func note(_ loss: Loss, _ entry: TypedEntry) {
    summary.add(loss, inTypes: keepsTypes)
    // Nearly every value of a large store can have such a note.
    if loss.isOfTakenType, !listsTypes { return }
    body(ConversionNote(entry.key, loss, at: entry.origin.place, in: entry.origin.store))
  }
}

extension EntryOrigin {
  /// Whether to report the entry as unverified if the new format cannot record its evidence.
  fileprivate var isUnverified: Bool { evidence == .guess || !cautions.isEmpty }
}
