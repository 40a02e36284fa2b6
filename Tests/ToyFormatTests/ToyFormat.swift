import KVBytes
import KVInput
import KVModel
import SystemPackage

/// A format made up for tests: records with their own checksums, back to back up to the end of the
/// file.
///
///     offset  count  field
///          0      8  magic     "TOYLOG1\n"
///          8         records:
///                 4  checksum  CRC-32 of the rest of the record, little-endian
///                 1  operation 1 sets, 2 removes
///                 1  key count
///                 2  value count, little-endian
///                    key, value
struct ToyFormat: StoreFormat {
  static let name = "toy"
  static let magic = Array("TOYLOG1\n".utf8)
  static let noMagic = FindingCode("toy.magic", .damage, means: "No magic", remedy: "None")
  static let declarations = FormatDeclarations(title: "Toy", findings: [noMagic])

  func discover(
    at path: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> [StoreFile] {
    [try source.file(at: path)]
  }

  func recognize(_ files: [StoreFile]) -> Recognized<ToyStore> {
    files.first?.image.bytes.starts(with: Self.magic) == true
      ? Recognized(Recognition(100, because: ["it begins with TOYLOG1"]))
      : Recognized(Recognition(0, because: ["it does not begin with TOYLOG1"]))
  }

  func open(_ files: [StoreFile]) -> ToyStore { ToyStore(files: files) }

  func encode(
    _ contents: StoreContents, like store: ToyStore, cipher: CipherChoice
  ) throws(EncodingError) -> [EncodedFile] {
    let records = contents.entries.flatMap { Self.record(1, $0.key.bytes, $0.value) }
    let name = store.files.first?.path.lastComponent?.string ?? "toy"
    return [EncodedFile(.data, named: name, Self.magic + records)]
  }

  /// Returns the bytes of a record.
  static func record(_ operation: UInt8, _ key: [UInt8], _ value: [UInt8] = []) -> [UInt8] {
    var body = ByteWriter()
    body.writeBytes([operation, UInt8(key.count)])
    body.writeInteger(UInt16(value.count), as: .little)
    body.writeBytes(key + value)
    var record = ByteWriter()
    let image = FileImage(body.bytes)
    record.writeInteger(CRC32.digest(of: image, in: image.range), as: .little)
    record.writeBytes(image.bytes)
    return record.bytes
  }
}

/// A store of the toy format.
struct ToyStore: Store {
  let files: [StoreFile]
  func reading(_ files: [StoreFile]) -> ToyStore { ToyStore(files: files) }
  var formatName: String { ToyFormat.name }
  var traits: LogTraits {
    var traits = LogTraits()
    traits.hasRecordChecksums = true
    return traits
  }
  private var image: FileImage { files.first?.image ?? FileImage([]) }
  private var log: Extent { Extent(.data, min(ToyFormat.magic.count, image.count)..<image.count) }
  var logAreas: [Extent] { [log] }
  var layout: [Region] {
    [Region(Extent(.data, 0..<log.offset), .field, "magic"), Region(log, .log, "log")]
  }
  var lengthClaims: [LengthClaim] {
    [
      LengthClaim(
        .current, origin: "length of the file", count: log.count, statedAt: nil, log: log,
        digest: nil, checksum: nil)
    ]
  }
  func stored(_ file: FileRole) -> FileImage { image }
  func decoded(_ file: FileRole) -> FileImage { image }

  /// Returns the record at `offset` if its lengths fit and its checksum matches.
  private func record(at offset: Int, before end: Int) -> Record? {
    let body = offset + 4
    guard end - offset >= 8, [1, 2].contains(image[body]) else { return nil }
    let keyEnd = body + 4 + Int(image[body + 1])
    let valueEnd = keyEnd + Int(image[body + 2]) + Int(image[body + 3]) << 8
    guard valueEnd <= end else { return nil }
    let stored = (0..<4).reduce(UInt32(0)) { $0 | UInt32(image[offset + $1]) << (8 * UInt32($1)) }
    guard CRC32.digest(of: image, in: body..<valueEnd) == stored else { return nil }
    return Record(
      image[body] == 1 ? .put : .remove, in: .data, at: offset..<valueEnd, key: body + 4..<keyEnd,
      value: keyEnd..<valueEnd, integrity: .verified)
  }

  func gaps(in extent: Extent) -> [Gap] {
    var gaps: [Gap] = []
    var position = extent.offset
    while position < extent.end {
      if let record = record(at: position, before: extent.end) {
        position = record.extent.end
        continue
      }
      let next = (position + 1..<extent.end).first { record(at: $0, before: extent.end) != nil }
      gaps.append(Gap(Extent(.data, position..<(next ?? extent.end)), .checksum))
      position = next ?? extent.end
    }
    return gaps
  }

  func records(in extent: Extent, scan: ScanMode, around gaps: [Gap]) -> [RecordEvent] {
    var events: [RecordEvent] = []
    var known = KnownGaps(gaps)
    var position = extent.offset
    while position < extent.end {
      switch known.step(at: position, before: extent.end) {
      case .pass(let gap): events.append(.gap(gap))
      case .read(let limit):
        events.append(
          record(at: position, before: limit).map { .record($0) }
            ?? .gap(Gap(Extent(.data, position..<limit), .checksum)))
      }
      position = events.last?.extent.end ?? extent.end
    }
    return events
  }

  func readings(of record: Record) -> [Reading] {
    let bytes = value(of: record)
    return [
      String(validating: bytes, as: UTF8.self).map { Reading(.string($0), because: "UTF-8") }
        ?? Reading(.bytes(bytes), because: "not UTF-8")
    ]
  }

  func check() -> [Finding] {
    image.bytes.starts(with: ToyFormat.magic)
      ? [] : [Finding(ToyFormat.noMagic, at: layout[0].extent, "the magic is not TOYLOG1")]
  }

  func engineLoad(answering answers: EngineAnswers) -> EngineLoad {
    EngineLoad(
      callbacks: [], outcome: .loaded, log: log, onDamage: .keepPrefix, dropsExpiredAt: nil,
      writes: [])
  }
}
