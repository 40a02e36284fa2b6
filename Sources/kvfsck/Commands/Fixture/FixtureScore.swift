import ArgumentParser
import KVBytes
import KVFixtures
import KVSystem
import SystemPackage

/// `kvfsck fixture score`: measures a tool with a corpus.
struct FixtureScore: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "score",
    abstract: "Measure how much of a corpus kvfsck and the app's engine recover, or another tool.",
    discussion: """
      Without RESULTS, scores kvfsck itself, reading as `dump` does with a known format, and the \
      app's own engine, by a model of how it loads a store. RESULTS is a folder with a file \
      CASE.jsonl for each case, with lines like {"type":"entry","key_hex":"…","raw_hex":"…"}; \
      `dump --json` prints such lines. Exit status: 0, 4 if less than --min is found, 8 if \
      something cannot be read.
      """)

  @OptionGroup var printing: MeasurementOptions

  @Flag(help: "List each case in which a key is missing, wrong or invented.")
  var misses = false

  @Option(
    help: ArgumentHelp(
      "The least share, from 0 to 1, of the keys of MUST that the tool, or kvfsck itself, must find over all cases. Exit status 4 if it finds less.",
      valueName: "share"), transform: Self.share)
  var min: Double?

  @Argument(
    help: ArgumentHelp("The folder of the corpus.", valueName: "corpus"), completion: .file())
  var corpus: String

  @Argument(
    help: ArgumentHelp("The folder with a tool's results.", valueName: "results"),
    completion: .file())
  var results: String?

  func validate() throws {
    if corpus.isEmpty || results == "" { throw ValidationError("A folder's path is empty.") }
  }

  func run() throws {
    let output = Output.standard
    let reporter = printing.reporter(output)
    var measurement = ScoreMeasurement(namesMisses: misses)
    var status: ExitStatus = []
    do throws(FixtureError) {
      let reader = try CorpusReader(
        in: ProcessArguments.path(corpus), formats: Kvfsck.formats.fixtureFormats)
      reporter.report(ScoreMeasurement.opening(reader.manifest, path: corpus))
      let cases = reader.manifest.cases
      let progress = Progress(descriptor: printing.progress, maximum: cases.count)
      var unread = 0
      for (index, entry) in cases.enumerated() {
        progress.report("score", index, entry.name)
        do throws(FixtureError) {
          for (subject, score) in try scores(of: entry, reader, &status, &unread) {
            reporter.report(measurement.add(score, of: entry, by: subject))
          }
        } catch {
          StoreOpening.complain(error.message)
          status.formUnion(.failed)
        }
      }
      progress.report("done", cases.count, "")
      reporter.report(measurement.parts)
      status.formUnion(judge(measurement, reporter))
      if unread > 0 {
        output.flush()
        StoreOpening.complain(
          "\(results ?? "") has no file for \(unread) of \(cases.count) cases; they "
            + "count as if nothing was returned. A result is called CASE.jsonl")
        status.formUnion(.failed)
      }
    } catch {
      output.flush()
      StoreOpening.complain(error.message)
      status = .failed
    }
    throw status.union(output.finish())
  }

  /// Reports whether enough was found, if that was asked for.
  private func judge(
    _ measurement: ScoreMeasurement, _ reporter: any MeasurementReporter
  ) -> ExitStatus {
    guard let min else { return [] }
    let judged = measurement.judged(by: min)
    reporter.report(judged.part)
    return judged.isMet ? [] : .damaged
  }

  private static func share(_ text: String) throws -> Double {
    guard let share = Double(text), (0...1).contains(share) else {
      throw ValidationError("'\(text)' is not a number from 0 to 1.")
    }
    return share
  }

  private func scores(
    of entry: CorpusManifest.Case, _ reader: CorpusReader, _ status: inout ExitStatus,
    _ unread: inout Int
  ) throws(FixtureError) -> [(subject: CorpusReader.Subject, score: CaseScore)] {
    guard let results else { return try reader.ownScores(of: entry) }
    let path = ProcessArguments.path(results).appending(entry.name + ".jsonl")
    var image = FileImage([])
    if Folder.isTaken(path) {
      do throws(FileError) {
        image = try FileImage.read(path)
      } catch {
        throw .file(error)
      }
    } else {
      unread += 1
    }
    let lines = ResultLines(image)
    for fault in lines.faults.prefix(3) {
      StoreOpening.complain("\(path.text):\(fault.line): \(fault.reason)")
    }
    if lines.faults.count > 3 {
      StoreOpening.complain("\(path.text): \(lines.faults.count - 3) more lines cannot be read")
    }
    if !lines.faults.isEmpty { status.formUnion(.failed) }
    return [(.results, try reader.score(lines, of: entry))]
  }
}
