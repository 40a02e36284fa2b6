import KVBytes
import KVCryptography
import KVModel
package import KVSystem
package import SystemPackage

/// The lines that a run adds to a log of evidence: what it was, what it read and what it wrote.
///
/// Each line has the hash of the line before it, over all runs; see ``EvidenceCheck``.
package final class EvidenceLog: Sendable {
  // A class, because a request to stop ends the log from a thread of its own.

  /// The name of the log in its folder.
  package static let name: FilePath.Component = "evidence.jsonl"

  /// What the user states about a run.
  package struct Occasion: Sendable {
    let version: String
    let arguments: [String]
    let matter: String?
    let examiner: String?

    /// Creates the facts about a run with `arguments`, which have no keys.
    package init(version: String, arguments: [String], matter: String?, examiner: String?) {
      self.version = version
      self.arguments = arguments
      self.matter = matter
      self.examiner = examiner
    }
  }

  private let path: FilePath
  private let ledger: FileLedger
  private let listsAll: Bool
  private let run: Int
  private let start = ContinuousClock.now

  /// Begins the lines of a run in the log in `folder`, which is created if it does not exist.
  ///
  /// If `listsAll`, the files that were not recognized are listed too.
  ///
  /// - Throws: If the line cannot be written, or the file is not a log.
  package init(
    in folder: FilePath, _ occasion: Occasion, listingAll listsAll: Bool, _ ledger: FileLedger
  ) throws(FileError) {
    path = folder.appending(Self.name)
    self.ledger = ledger
    self.listsAll = listsAll
    let start: JSONObject = [
      "type": "start", "version": occasion.version, "arguments": occasion.arguments,
      "time": UTCDate.text(Int64(SystemClock.secondsSince1970)),
      "folder": Folder.resolved(".").text, "case": occasion.matter,
      "examiner": occasion.examiner,
    ]
    run = try Self.append([start], to: path, run: nil).number
  }

  /// Returns an empty ledger that hashes files by SHA-256.
  package static func ledger() -> FileLedger {
    FileLedger { next in Cryptography.sha256(of: next) ?? [] }
  }

  /// Ends the lines of the run, whose exit status is `status`.
  ///
  /// - Returns: The number of lines of the log, and the digits of the hash of the last.
  ///
  /// - Throws: If they cannot be written.
  @discardableResult
  package func end(status: CInt) throws(FileError) -> (number: Int, hash: String) {
    let inputs = ledger.inputs.map { ($0, $0.after) }
    let outputs = ledger.outputs
    let others = ledger.notRecognized
    let time = (ContinuousClock.now - start) / .milliseconds(1)
    let changed = inputs.count { $0.before != $1 }
    let end: JSONObject = [
      "type": "end", "status": Int(status), "inputs": inputs.count, "outputs": outputs.count,
      "changed": changed, "looked_at": ledger.lookedAtCount, "not_recognized": others.count,
      "milliseconds": Int(time),
      "time": UTCDate.text(Int64(SystemClock.secondsSince1970)),
    ]
    let lines =
      inputs.map(Self.input) + outputs.map(Self.output)
      + (listsAll ? others.map { Self.file("not_recognized", $0, [:]) } : []) + [end]
    return try Self.append(lines, to: path, run: run)
  }

  /// Why files that the run has read or written have no hash.
  package var failures: [FileError] { ledger.failures }

  // MARK: Lines

  private static func input(_ input: FileLedger.Input, _ after: FileLedger.Facts?) -> JSONObject {
    let isChanged = input.before != after
    return file(
      "input", input.path,
      [
        "size": input.count, "sha256": input.digest.map { Hexadecimal.text($0) },
        "error": input.failure?.message,
        "before": input.before.map(Self.facts), "changed": input.before.map { _ in isChanged },
        "after": isChanged ? JSONObject.orNull(after.map(Self.facts)) : nil,
      ])
  }

  private static func output(_ output: FileLedger.Output) -> JSONObject {
    file(
      "output", output.path,
      [
        "size": output.facts?.count, "sha256": output.digest.map { Hexadecimal.text($0) },
        "error": output.failure?.message, "mode": output.facts.map(mode),
      ])
  }

  private static func file(
    _ type: String, _ path: FilePath, _ members: JSONObject
  ) -> JSONObject {
    var line = members
    line.add("type", type)
    line.add("path", ReportedPath(path))
    return line
  }

  private static func facts(_ facts: FileLedger.Facts) -> JSONObject {
    [
      "size": facts.count, "device": facts.device, "inode": facts.inode, "mtime": facts.modified,
      "ctime": facts.changed, "uid": facts.user, "gid": facts.group, "mode": mode(facts),
    ]
  }

  private static func mode(_ facts: FileLedger.Facts) -> String {
    let digits = String(facts.mode.rawValue, radix: 8)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  /// Appends `lines` of the run that began at the line `run`, or begins with the first of them.
  ///
  /// - Returns: The number of the last line, and the digits of its hash.
  private static func append(
    _ lines: [JSONObject], to path: FilePath, run: Int?
  ) throws(FileError) -> (number: Int, hash: String) {
    var (number, hash) = (0, EvidenceLine.noHash)
    try AppendedFile.append(to: path) { (end) throws(FileError) in
      if let line = end.line {
        guard let last = EvidenceLine(parsing: line) else {
          throw .member(path: path, reason: "its last line is not one of a log of evidence")
        }
        (number, hash) = (last.number, EvidenceLine.hash(of: line))
      } else if !end.rest.isEmpty, !end.rest.starts(with: "{\"".utf8.prefix(end.rest.count)) {
        throw .member(path: path, reason: "it is not a log of evidence")
      }
      var bytes: [UInt8] = []
      func add(_ line: JSONObject, _ run: Int?) {
        var line = line
        number &+= 1
        line.add("seq", number)
        line.add("run", run ?? number)
        line.add("previous", hash)
        let text = Array(line.text.utf8)
        hash = EvidenceLine.hash(of: text)
        bytes += text + [UInt8(ascii: "\n")]
      }
      if !end.rest.isEmpty {
        // The torn line stays as it is, and is a line from now on.
        let whole = hash
        bytes.append(UInt8(ascii: "\n"))
        number &+= 1
        hash = EvidenceLine.hash(of: end.rest)
        add(["type": "torn", "size": end.rest.count, "whole": whole], run)
      }
      for line in lines { add(line, run) }
      return bytes
    }
    return (number, hash)
  }
}
