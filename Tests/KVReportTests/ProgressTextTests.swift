import KVReport
import KVSystem
import Testing

/// Showing the progress of long operations on one line.
@Suite struct ProgressTextTests {
  private func step(_ done: Int, of total: Int = 1000) -> WorkProgress.Step {
    WorkProgress.Step(.entries, done, of: total)
  }

  @Test func shortWorkIsNotShown() {
    var text = ProgressText()
    #expect(text.line(after: step(0), at: .zero) == nil)
    #expect(text.line(after: step(799), at: .milliseconds(799)) == nil)
    #expect(text.line(after: step(800), at: .milliseconds(800)) != nil)
  }

  @Test func theRateAndTheTimeLeftAreThoseOfTheStage() {
    var text = ProgressText()
    #expect(text.line(after: step(0), at: .seconds(1)) == "entries 0 %")
    #expect(
      text.line(after: step(200), at: .seconds(3)) == "entries 20 %, 100 per second, 8 s left")
    #expect(
      text.line(after: WorkProgress.Step(.records, 0, of: 90_000_000), at: .seconds(4))
        == "reading records 0 %")
    #expect(
      text.line(after: WorkProgress.Step(.records, 60_000_000, of: 90_000_000), at: .seconds(6))
        == "reading records 66 %, 30 MB/s, 1 s left")
    #expect(
      text.line(after: WorkProgress.Step(.archive, 0, of: 9_000_000), at: .seconds(7))
        == "reading the archive 0 %")
    #expect(
      text.line(after: WorkProgress.Step(.archive, 3_000_000, of: 9_000_000), at: .seconds(9))
        == "reading the archive 33 %, 1,500 kB/s, 4 s left")
  }

  @Test func largeRatesHaveThousandsSeparators() {
    var text = ProgressText()
    let total = 1_000_000_000
    _ = text.line(after: WorkProgress.Step(.records, 0, of: total), at: .seconds(1))
    #expect(
      text.line(after: WorkProgress.Step(.records, 6_525_000, of: total), at: .seconds(2))?
        .contains(" 6,525 kB/s,") == true)
    var entries = ProgressText()
    _ = entries.line(after: step(0, of: total), at: .seconds(1))
    #expect(
      entries.line(after: step(153_629, of: total), at: .seconds(2))?
        .contains(" 153,629 per second,") == true)
  }

  @Test("The line fits into the cells of the terminal", arguments: [0, 1, 2, 5, 10, 20, 39])
  func theLineFits(width: Int) {
    for text in [
      "entries 20 %, 100 a second, 8 s left (a)", "検査 1 of 2 データ/設定ファイル", "e\u{301}\u{1b}[31m",
    ] {
      let shown = ProgressText.fitting(text, width: width)
      let wide = shown.unicodeScalars.count { (0x3000...0x9fff).contains($0.value) }
      let marks = shown.unicodeScalars.count { $0.value == 0x301 }
      #expect(shown.unicodeScalars.count + wide - marks <= width, "\(shown)")
      #expect(!shown.contains("\u{1b}"))
    }
    #expect(ProgressText.fitting("設定", width: 4) == "設定")
    #expect(ProgressText.fitting("設定", width: 3) == "設…")
  }

  @Test func aPassThatBeginsAnewIsAnotherOne() {
    var text = ProgressText()
    _ = text.line(after: step(0), at: .zero)
    _ = text.line(after: step(900), at: .seconds(9))
    #expect(text.line(after: step(0), at: .seconds(10)) == "entries 0 %")
    #expect(
      text.line(after: step(500), at: .seconds(11)) == "entries 50 %, 500 per second, 1 s left")
  }

  @Test func theRestOfAScanTakesAsLongAsWhatIsDone() {
    #expect(ProgressText.left(25, of: 100, after: 10) == ", 25 %, 30 s left")
    #expect(ProgressText.left(100, of: 100, after: 10) == ", 100 %, 0 s left")
    // Files can be added while they are counted.
    #expect(ProgressText.left(101, of: 100, after: 10) == "")
    #expect(ProgressText.left(0, of: 0, after: 10) == "")
  }

  @Test func theLineStaysAWhile() {
    var text = ProgressText()
    _ = text.line(after: step(0), at: .zero)
    #expect(text.line(after: step(1), at: .seconds(2)) != nil)
    #expect(text.line(after: step(2), at: .milliseconds(2199)) == nil)
    #expect(text.line(after: step(3), at: .milliseconds(2200)) != nil)
  }

  @Test func longTimesAreInMinutesAndHours() {
    var text = ProgressText()
    _ = text.line(after: step(0, of: 1_000_000), at: .zero)
    #expect(
      text.line(after: step(100, of: 1_000_000), at: .seconds(10))
        == "entries 0 %, 10 per second, 28 h left")
    #expect(
      text.line(after: step(10_000, of: 1_000_000), at: .seconds(20))
        == "entries 1 %, 500 per second, 33 min left")
  }

  @Test("Every element is handed over, and the steps are counted in between")
  func everyElementIsHandedOver() {
    let steps = Steps()
    var sum = 0
    WorkProgress.told(to: { steps.add($0) }) {
      WorkProgress.forEach(of: 1...1280, .parts) { sum += $0 }
    }
    #expect(sum == 1280 * 1281 / 2)
    #expect(steps.all.map(\.done) == Array(stride(from: 0, to: 1280, by: 10)))
    #expect(steps.all.allSatisfy { $0.total == 1280 && $0.stage == .parts })
  }

  /// The steps reported to a listener.
  private final class Steps: Sendable {
    private let list = Guarded<[WorkProgress.Step]>([])
    var all: [WorkProgress.Step] { list.use { $0 } }
    func add(_ step: WorkProgress.Step) { list.use { $0.append(step) } }
  }
}
