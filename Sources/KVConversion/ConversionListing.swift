import KVModel

/// What a conversion has to say of its entries, while they pass.
///
/// A class, for the format that is written asks for the entries when it is ready for them.
final class ConversionListing {
  /// What it comes to so far.
  private(set) var summary = Conversion.Summary()

  private let source: TypedSource
  private let store: (any StoreEncoder)?
  /// Whether the format is one of an app's engine, which is asked for the entries in the end.
  private let isForEngine: Bool
  private let keepsTypes: Bool
  private let keepsEvidence: Bool
  private let body: (ConversionNote) -> Void
  /// The entries as such a format holds them.
  private var fitted: [TypedEntry] = []
  /// How often the entries have begun to pass: what is said of them is said once.
  private var passCount = 0

  /// The listing of what becomes of `source` in the format of `encoder`, for `body`.
  init(
    of source: TypedSource, by encoder: any EntryEncoder, _ body: @escaping (ConversionNote) -> Void
  ) {
    self.source = source
    self.body = body
    store = encoder as? any StoreEncoder
    isForEngine = store != nil
    keepsTypes = type(of: encoder).keepsTypes
    keepsEvidence = type(of: encoder).keepsEvidence
    summary.stores = source.stores
    summary.losses = source.findings.count { $0.finding.losesContent }
  }

  /// Says what is left out of the source itself; the entries follow.
  func begin() {
    passCount += 1
    guard passCount == 1 else { return }
    for omitted in source.omitted {
      summary.leftOut += 1
      note(omitted)
    }
  }

  /// Takes in an entry that was read with `losses`, and what becomes of it in the format.
  func add(_ entry: TypedEntry, _ losses: [Loss], _ fit: EntryFit) {
    guard passCount == 1 else { return }
    func note(_ loss: Loss) {
      self.note(ConversionNote(entry.key, loss, at: entry.origin.place, in: entry.origin.store))
    }
    for loss in losses { note(loss) }
    if !keepsEvidence, entry.origin.isUnverified, fit.entry != nil {
      note(.unverified(entry.origin))
    }
    for loss in fit.losses { note(loss) }
    if fit.entry == nil { summary.leftOut += 1 } else { summary.written += 1 }
    if isForEngine, let entry = fit.entry { fitted.append(entry) }
  }

  /// Says what the engine of a format with a log does not give back.
  ///
  /// - Throws: `.encoding` where the entries are too many.
  func end() throws(ConversionError) {
    guard let store else { return }
    do throws(EncodingError) {
      for entry in try EngineCheck(fitted).lost(in: store) {
        note(ConversionNote(entry.key, .engineLoss, at: nil, in: entry.origin.store))
      }
    } catch {
      throw .encoding(error)
    }
  }

  private func note(_ note: ConversionNote) {
    summary.add(note.loss, inTypes: keepsTypes)
    body(note)
  }
}

extension EntryOrigin {
  /// Whether whoever reads the entry should know that it is not sure.
  fileprivate var isUnverified: Bool { evidence == .guess || !cautions.isEmpty }
}
