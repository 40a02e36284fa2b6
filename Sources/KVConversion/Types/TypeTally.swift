import KVModel

/// The number of keys of each group in a store, with a pattern, or with a word in their names.
struct TypeTally: Sendable {
  /// The numbers of keys whose values show their type.
  private var counts = GroupWeights(0)
  /// The number of them with integers below 128.
  ///
  /// Only such integers are sometimes 0 or 1; times and IDs are not.
  private var smallCount = 0.0
  /// The numbers of keys with no value but the byte `00`, or `01`.
  private var zeroCount = 0.0
  private var oneCount = 0.0

  /// Counts a key with `finding`; a `count` of −1 takes it out again.
  mutating func add(_ finding: TypeFinding, _ count: Double = 1) {
    switch finding {
    case .group(let group): counts[group] += count
    case .smallInteger:
      counts[.integer] += count
      smallCount += count
    case .zero: zeroCount += count
    case .one: oneCount += count
    case .open: break
    }
  }

  /// Returns the prior of a key of this store: how common each group is in it, combined with how
  /// common it is in stores in general.
  ///
  /// The store's other keys show how many integers and empty values to expect among the keys that
  /// have only `00` or `01`. The keys beyond that number count as Booleans.
  ///
  /// `common` is the value of the key if it is `00` or `01`. The prior of integers is then that of
  /// small integers.
  func prior(of common: ValueSigns.Common?) -> GroupWeights {
    var counts = counts
    counts[.integer] = smallCount
    var expected = (zero: 0.0, one: 0.0)
    for group in TypeGroup.allCases where group != .bool {
      expected.zero += counts[group] * group.shareOfZero
      expected.one += counts[group] * group.shareOfOne
    }
    if common == nil { counts[.integer] = self.counts[.integer] }
    var prior = counts + .priorCounts
    let ones = max(0, oneCount - expected.one)
    // Apps have more Booleans that are true than false, so zeros with hardly any ones are something
    // else. One of them is the key that is judged.
    let zeros = min(max(0, zeroCount - expected.zero), ones + 1)
    prior[.bool] += max(0, zeros + ones - 1)
    let sum = prior.sum
    // A floor for rare groups: clear bytes must weigh more than how common a type is.
    return GroupWeights { max(prior[$0] / sum, 0x1p-5) }.shares
  }

  /// Returns how much likelier each group is for a key of this tally than for any key of the store.
  ///
  /// `own` is what the key itself was counted as; it is left out. `caution` is a number of average
  /// keys of the store that are added, which the tally has to outweigh.
  func factors(
    besides own: TypeFinding, priors: TypePriors, common: CommonShares, caution: Double
  ) -> GroupWeights {
    var tally = self
    tally.add(own, -1)
    let likely =
      tally.counts.nonnegative + tally.zeros(common) + common.ones * max(0, tally.oneCount)
    return (likely + priors.clear * caution) / (likely.sum + caution) / priors.clear
  }

  /// Returns the groups of the keys that have only `00`.
  ///
  /// Where other keys of the tally show a type that is sometimes `00`, no more of them are taken for
  /// Booleans than go with the keys that have `01`; the rest are of these types.
  private func zeros(_ common: CommonShares) -> GroupWeights {
    let count = max(0, zeroCount)
    var others = counts.nonnegative * .sharesOfZero
    others[.bool] = 0
    guard others.sum > 0, common.zeros[.bool] > 0 else { return common.zeros * count }
    let voting = min(count, (max(0, oneCount) + 1) / common.zeros[.bool])
    return common.zeros * voting + others.shares * (count - voting)
  }
}

/// The share of each group among the keys with one name that have only `00`, and among those that
/// have only `01`.
struct CommonShares {
  let zeros: GroupWeights
  let ones: GroupWeights

  /// Creates the shares for a name that makes each group likelier by the factors `custom`.
  init(priors: TypePriors, custom: GroupWeights) {
    let known = priors.common * custom
    zeros = (known * .sharesOfZero).shares
    ones = (known * .sharesOfOne).shares
  }
}

/// The results of ``TypeTally/prior(of:)`` for a store.
struct TypePriors: Sendable {
  /// The prior for values that show their type.
  let clear: GroupWeights
  /// The prior for the values `00` and `01`.
  let common: GroupWeights
}

/// What all values of a key together show about its type.
enum TypeFinding: Sendable {
  /// They belong to this group.
  case group(TypeGroup)
  /// They are integers, and the newest is below 128.
  case smallInteger
  /// The only value is `00`.
  case zero
  /// The only value is `01`.
  case one
  /// No group is likely enough.
  case open
}
