import KVBytes
import KVModel
import KVSystem
import SystemPackage

/// One copy of the log: its file, its header, its bytes, and what the engine makes of its records.
struct AndroidCopy: Sendable {
  let file: StoreFile
  /// The correction with which the copy is read; `nil` if there is none.
  let corrected: Correction?
  /// What the header claims.
  let stated: CopyClaim
  /// The bytes, stored and decrypted.
  let decoded: DecodedCopy
  /// What the engine makes of the records; `nil` if it reads none.
  let survey: LogSurvey?
  /// The log, if a checksum verifies it and the engine could read all its records; once the copy is
  /// judged, even if the header states another length.
  ///
  /// `nil` if there is none or it is empty. A copy is called *intact* if it has such a log.
  var whole: Extent?
  /// Whether the highest bit of every byte was probably cleared, although the checksum matches.
  var lacksHighBits = false

  /// Reads the copy in `file`, with a correction applied if one is given.
  init(_ file: StoreFile, _ cipher: DemoCipher?, corrected: Correction? = nil) {
    self.file = file
    self.corrected = corrected
    let image = corrected.map { file.image.applying($0.edits, of: file.role) } ?? file.image
    // A correction that is not proven must not make a checksum match.
    stated = CopyClaim(
      of: image, file.role, against: corrected?.isProven ?? true ? image : file.image)
    decoded = DecodedCopy(image, stated, cipher)
    survey = LogSurvey(decoded, stated)
    whole = isTaken ? log.flatMap { $0.count > 0 ? $0 : nil } : nil
  }

  var header: AndroidHeader { stated.header }
  /// The bytes after the header.
  var area: Extent { stated.area }
  /// The log that the header states; `nil` if the file is too short for it.
  var log: Extent? { stated.log }
  /// The header's checksum, compared with the data.
  var claim: ChecksumClaim? { stated.checksum }

  /// Whether the checksum matches and the engine reads every record.
  var isTaken: Bool { survey.map { $0.refused == nil } ?? false }

  /// Whether the copy is one of the two that the engine keeps identical.
  var isOfPair: Bool { file.role != .copyC }

  /// The part of the header that is present.
  var headerExtent: Extent {
    Extent(file.role, 0..<min(AndroidHeader.byteCount, file.image.count))
  }

  /// Returns what the header claims about where the log ends.
  ///
  /// `choice` is the rule by which the copy was preferred to others, if there was one.
  func headerClaim(_ role: LengthClaim.Role, choice: RuleID? = nil) -> LengthClaim {
    LengthClaim(
      role, origin: "length in the header of \(name)", count: header.count ?? 0,
      statedAt: statedAt, log: log,
      // A checksum that was matched by an unproven correction proves no end.
      digest: corrected?.isProven ?? true ? header.checksum : nil, algorithm: .xorLanes,
      checksum: claim, correctedBy: corrected?.rule, foundBy: choice)
  }

  var name: String { file.path.lastComponent?.string ?? "" }

  var statedAt: Extent {
    Extent(file.role, 0..<min(AndroidHeader.countField.upperBound, file.image.count))
  }
}
