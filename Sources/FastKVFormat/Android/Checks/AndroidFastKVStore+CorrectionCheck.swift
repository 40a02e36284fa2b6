import KVBytes
import KVModel

extension AndroidFastKVStore {
  /// How many corrected bytes a message names.
  private static let namedLimit = 12

  /// What was corrected in a copy, by what, and with what odds.
  func checkCorrection(_ copy: AndroidCopy, _ correction: Correction) -> Finding {
    finding(
      AndroidFindings.corrected, copy, extent(copy, correction),
      explanation(correction)
        + ". That this fits by chance has odds of \(correction.odds.text)"
        + (correction.odds.isProven ? "" : ", so that every entry may be damaged"),
      odds: correction.odds
    ).following(
      from: [correction.source.rule.id]
        + (correction.odds.isProven ? [] : [AndroidLikelyCorrection.id]))
  }

  /// A correction that fits a copy, and fits by chance too easily to be applied.
  func checkUnlikely(_ copy: AndroidCopy, _ correction: Correction) -> Finding {
    finding(
      AndroidFindings.correctionUnlikely, copy, extent(copy, correction),
      explanation(correction) + ". That this fits by chance has odds of \(correction.odds.text), "
        + "which is too likely: it is not applied",
      odds: correction.odds
    ).following(from: [correction.source.rule.id])
  }

  /// The tags that are one byte off the name of the engine's own encoder.
  func checkTags() -> [Finding] {
    guard access == .readable, let primary else { return [] }
    let gaps = primary.isTaken ? [] : gaps(in: primary.area)
    let log = primary.isTaken ? primary.log ?? primary.area : primary.area
    var findings: [Finding] = []
    for case .record(let record) in records(in: log, scan: .plain, around: gaps)
    where record.operation == .put {
      guard let offset = damagedTag(of: record) else { continue }
      findings.append(
        finding(
          AndroidFindings.tagCorrected, primary,
          Extent(record.file, offset..<offset + 1),
          "the value of \"\(key(of: record).text ?? "?")\" is a set, and one byte of its tag is not "
            + "that of \(StringSetTag.name): FastKV has no encoder of that name and leaves the entry "
            + "out. It is read, and written, with the right tag",
          odds: CoincidenceOdds(
            checksumBits: 0, framingBits: Self.tagBits, candidates: Self.tagCandidates)))
    }
    return findings
  }

  /// What the bytes of a tag that are right are worth, six bits for each letter.
  private static var tagBits: Int { 6 * (StringSetTag.name.utf8.count - 1) }
  /// How many tags are one byte off.
  private static var tagCandidates: Double { Double(255 * StringSetTag.name.utf8.count) }

  private func extent(_ copy: AndroidCopy, _ correction: Correction) -> Extent {
    let first = correction.patches.first?.offset ?? 0
    return Extent(copy.file.role, first..<(correction.patches.last?.offset ?? first) + 1)
  }

  private func explanation(_ correction: Correction) -> String {
    let patches = correction.patches
    let named = patches.prefix(Self.namedLimit).map {
      "\(Hexadecimal.text($0.offset, digits: 2)) (by \(Hexadecimal.text($0.mask, digits: 2)))"
    }.joined(separator: ", ")
    let places =
      named
      + (patches.count > Self.namedLimit ? " and \(patches.count - Self.namedLimit) more" : "")
    return switch correction.source {
    case .otherCopy:
      "neither copy of the pair holds; with \(patches.count) bytes of the other one, at \(places), "
        + "this one does"
    case .bothCopies:
      "neither copy of the pair holds, and they differ where the lanes of the checksum want a change, "
        + "at \(places); with that all records decode"
    case .lostByte:
      "the lanes of the checksum fit if a byte is put in at \(places) and all after it moves up"
    case .addedByte:
      "the lanes of the checksum fit if the byte at \(places) is taken out and all after it moves down"
    case .lanes:
      "the lanes of the checksum say what was changed, and only with the change at \(places) do all "
        + "records decode"
    }
  }
}
