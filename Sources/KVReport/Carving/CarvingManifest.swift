import KVBytes
import KVCryptography
package import KVModel
import KVSystem
package import SystemPackage

/// A store that was found in a source, and the files that it becomes.
package struct CarvedFind: Sendable {
  /// One of the files.
  package struct File: Sendable {
    /// The path below the folder for all of them.
    package let path: FilePath
    /// The runs of the source of which it consists.
    package let runs: [Range<Int>]
    /// The SHA-256 of its bytes, in hexadecimal digits; `nil` if this build cannot compute it.
    let digest: String?
    /// The number of bytes before the runs, which are not in the source.
    fileprivate let headCount: Int
    fileprivate let count: Int

    /// Creates the file at `path` with `bytes`: `headCount` new ones, and those of the runs.
    package init(
      _ path: FilePath, _ runs: [Range<Int>], after headCount: Int, _ bytes: [UInt8]
    ) {
      self.headCount = headCount
      count = bytes.count
      self.path = path
      self.runs = runs
      digest = Cryptography.sha256(bytes).map { Hexadecimal.text($0) }
    }
  }

  package let store: CarvedStore
  /// The source.
  package let source: FilePath
  package let files: [File]

  /// Creates a find.
  package init(_ store: CarvedStore, in source: FilePath, _ files: [File]) {
    self.store = store
    self.source = source
    self.files = files
  }
}

/// The list of what was found in sources, as JSON lines and as Digital Forensics XML.
package enum CarvingManifest {
  /// Returns the line about `find`.
  package static func line(_ find: CarvedFind) -> [UInt8] {
    var bytes: [UInt8] = []
    JSONLine.append(to: &bytes) { line in
      line.line { line in
        line.name("entries")
        if let count = find.store.entryCount { line.number(count) } else { line.null() }
        line.member("files") { line in
          line.array(find.files) { line, file in line.object { write(file, to: &$0) } }
        }
        line.member("format", find.store.format)
        line.member("length", find.files[0].count)
        line.member("offset", find.store.offset)
        line.member("probability") { $0.number(find.store.probability) }
        line.member("reason", find.store.reason)
        line.member("source", ReportedPath(find.source))
        line.member("tier", find.store.tier.rawValue)
        line.member("type", "carved")
      }
    }
    return bytes
  }

  private static func write(_ file: CarvedFind.File, to line: inout JSONLine) {
    line.member("length", file.count)
    line.member("path", ReportedPath(file.path))
    line.member("runs") { line in
      line.array(file.runs) { line, run in
        line.object {
          $0.member("length", run.count)
          $0.member("offset", run.lowerBound)
        }
      }
    }
    line.member("sha256", file.digest)
  }

  /// Returns the XML document about `finds`.
  package static func dfxml(_ finds: [CarvedFind], of run: ReportRun) -> [UInt8] {
    var text = DFXMLReport.head(run)
    for find in finds {
      for file in find.files { text += element(file, of: find) }
    }
    return Array((text + "</dfxml>\n").utf8)
  }

  private static func element(_ file: CarvedFind.File, of find: CarvedFind) -> String {
    var offset = file.headCount
    var runs = ""
    for run in file.runs {
      runs +=
        "<byte_run file_offset=\"\(offset)\" img_offset=\"\(run.lowerBound)\" len=\"\(run.count)\"/>\n"
      offset += run.count
    }
    let digest = file.digest.map { "<hashdigest type=\"sha256\">\($0)</hashdigest>\n" } ?? ""
    return """
      <fileobject>
      <filename>\(XMLText.escaped(file.path.text))</filename>
      <filesize>\(file.count)</filesize>
      <byte_runs>
      \(runs)</byte_runs>
      \(digest)<kvfsck:carved kvfsck:source="\(XMLText.escaped(find.source.text))" \
      kvfsck:format="\(find.store.format)" kvfsck:tier="\(find.store.tier.rawValue)" \
      kvfsck:probability="\(find.store.probability.text)"/>
      </fileobject>

      """
  }
}
