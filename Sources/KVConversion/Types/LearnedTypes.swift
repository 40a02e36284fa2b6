package import KVModel

/// The types that the keys of many stores have, learned from all of them.
///
/// Types that a format stores count before those that were judged.
package struct LearnedTypes: Sendable {
  /// The types of one key.
  private struct Votes {
    /// The number of stores with each type: if their format stores types, and otherwise.
    var stated: [Value.Kind: Int] = [:]
    var judged: [Value.Kind: Int] = [:]
    /// The types that fit in any of the stores.
    var readings: [Value.Kind] = []
    /// The number of stores in which the type is undecided.
    var undecided = 0

    /// The type that more than half of the stores have, of those that decide it; `nil` for none.
    var winner: Value.Kind? {
      var counts = stated.isEmpty ? judged : stated
      // The wider type holds the numbers of both.
      if let wide = counts[.int64], let narrow = counts.removeValue(forKey: .int32) {
        counts[.int64] = wide + narrow
      }
      let sum = counts.reduce(0) { $0 + $1.value }
      return counts.first { $0.value * 2 > sum }?.key
    }

    /// The type that all stores have whose format stores none, or else all stores; `nil` if they
    /// differ.
    var common: Value.Kind? {
      let open = Set(judged.keys).union(undecided > 0 ? [.raw] : [])
      let kinds = open.isEmpty ? Set(stated.keys) : open
      return kinds.count == 1 ? kinds.first : nil
    }
  }

  private var votes: [Key: Votes] = [:]
  /// The keys, in the order in which they came.
  private var keys: [Key] = []

  /// Creates types without keys.
  package init() {}

  /// Adds the types of one store, as `rules` have them; `areStated` if its format stores them.
  package mutating func add(_ rules: [TypeSchema.Rule], areStated: Bool) {
    for rule in rules {
      guard case .key(let key) = rule.subject else { continue }
      if votes[key] == nil { keys.append(key) }
      var own = votes[key] ?? Votes()
      if areStated {
        own.stated[rule.kind, default: 0] += 1
      } else if rule.kind == .raw {
        own.undecided += 1
      } else {
        own.judged[rule.kind, default: 0] += 1
      }
      own.readings += rule.readings.filter { !own.readings.contains($0) }
      votes[key] = own
    }
  }

  /// A rule for each key that has the same type in all stores.
  package var common: TypeSchema {
    TypeSchema(
      keys.compactMap { key in
        guard let own = votes[key], let kind = own.common else { return nil }
        return TypeSchema.Rule(.key(key), kind, readings: own.readings)
      })
  }

  /// The keys whose types differ from store to store.
  package var differing: [Key] { keys.filter { votes[$0]?.common == nil } }

  /// Returns `source` with types: those of `schema`, then for a format without types those that most
  /// stores have and that fit, then those that its own values show.
  package func typed(
    _ source: ReadSource, by schema: TypeSchema, assumesLikeliest: Bool
  ) -> TypedSource {
    SharedTypes.typed(source, by: schema, assumesLikeliest: assumesLikeliest) {
      votes[$0]?.winner.map { [$0] } ?? []
    }
  }
}
