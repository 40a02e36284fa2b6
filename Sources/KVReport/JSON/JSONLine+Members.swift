import KVModel
import KVRecovery

/// The members that several types of lines have.
extension JSONLine {
  /// Writes the member called `name` with `cautions`, if there are any.
  mutating func member(_ name: String, _ cautions: [Caution]) {
    guard !cautions.isEmpty else { return }
    member(name) {
      $0.array { line in for caution in cautions { line.element { $0.text(caution.rawValue) } } }
    }
  }

  /// Writes the member called `name` with `rules`, if there are any.
  mutating func member(_ name: String, _ rules: [RuleID]) {
    guard !rules.isEmpty else { return }
    member(name) {
      $0.array { line in for rule in rules { line.element { $0.text(rule.text) } } }
    }
  }

  /// Writes the member called `name` with the content of a document, if there is one.
  mutating func member(_ name: String, _ content: ValueContent?) {
    guard let content else { return }
    member(name) { $0.document(content) }
  }

  /// Writes the content of a document.
  mutating func document(_ content: ValueContent) {
    object { line in
      if let name = content.className { line.member("class", name) }
      if content.media == nil { line.member("count", content.count) }
      line.member("form", content.form.rawValue)
      if let media = content.media {
        line.member("type", media.type)
      } else {
        line.member("members") { $0.array(content.members) { $0.part($1) } }
      }
    }
  }

  /// Writes a part of a document.
  private mutating func part(_ member: ValueContent.Member) {
    object { line in
      line.member("content", member.document)
      if let name = member.name { line.member("name", name) }
      if !member.others.isEmpty {
        line.member("others") { $0.array(member.others) { $0.value(of: $1) } }
      }
      line.member("value") { line in
        switch member.content {
        case .value(let reading): line.value(of: reading)
        case .container(let kind, let count): line.container(kind, count, member.parts)
        case .outer(let kind):
          line.object { line in
            line.member("kind", kind)
            line.member("outer") { $0.literal(true) }
          }
        }
      }
    }
  }

  /// Writes a container, with its parts if it was opened.
  private mutating func container(
    _ kind: String, _ count: Int, _ parts: [ValueContent.Member]
  ) {
    object { line in
      line.member("count", count)
      line.member("kind", kind)
      if !parts.isEmpty { line.member("members") { $0.array(parts) { $0.part($1) } } }
    }
  }

  /// Writes the member called `name` with `readings`, each with its reason.
  mutating func member(_ name: String, _ readings: [Reading]) {
    member(name) {
      $0.array { line in
        for reading in readings { line.element { $0.reading(reading) } }
      }
    }
  }

  private mutating func reading(_ reading: Reading) {
    object { line in
      line.member("reason", reading.reason)
      line.member("value") { $0.value(of: reading) }
    }
  }

  /// Writes the likeliest of several readings, and refinements of it, without their reasons.
  mutating func likely(_ readings: [Reading]) {
    guard !readings.isEmpty else { return }
    member("likely") {
      $0.array { line in
        for reading in readings { line.element { $0.value(of: reading) } }
      }
    }
  }

  /// Writes `text` as the only likely reading.
  mutating func likely(text: Span<UInt8>) {
    member("likely") {
      $0.array { line in
        line.element { line in
          line.object { line in
            line.member("kind", Value.Kind.string.rawValue)
            line.member("value") { $0.text(utf8: text) }
          }
        }
      }
    }
  }

  /// Writes the conditions that a probability results from, each with its reasons, if they are given.
  mutating func weighing(_ weighing: Weighing?) {
    guard let weighing else { return }
    member("weighing") { $0.conditions(of: weighing) }
  }

  private mutating func conditions(of weighing: Weighing) {
    object { line in
      for condition in Condition.allCases {
        line.member(condition.rawValue) { line in
          line.object { line in
            line.member("probability") { $0.number(weighing.probability(of: condition)) }
            line.member("reasons") { line in
              line.array(weighing.reasons(for: condition)) { $0.reason($1) }
            }
          }
        }
      }
    }
  }

  private mutating func reason(_ reason: Weighing.Reason) {
    object { line in
      if let answer = reason.answer { line.member("answer", answer) }
      line.member("bits") { $0.number(hundredths: reason.hundredths) }
      line.member("name", reason.name)
    }
  }
}
