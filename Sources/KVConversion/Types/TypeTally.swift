import KVModel

/// How many keys have values of each group: of a store, of a pattern, or of a word in names.
struct TypeTally: Sendable {
  /// Keys whose values tell their type.
  private var counts = GroupWeights(0)
  /// Those of them that are integers below 128: only these are 0 or 1 now and then, times and ids are not.
  private var smallCount = 0.0
  /// Keys of which no more is known than the byte `00`, or `01`.
  private var zeroCount = 0.0
  private var oneCount = 0.0

  /// Counts, or for −1 no longer counts, a key whose values are like this.
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

  /// How common each group is, with what is so of stores in general: the prior of a key of this store.
  ///
  /// Of keys with no more than `00` or `01`, those are truth values that are more than the integers and
  /// empty values among them that there should be beside all others.
  ///
  /// `common` is one of those values if the key has one: then it is as common as small integers are.
  func prior(of common: TypeEvidence.Common?) -> GroupWeights {
    var counts = counts
    counts[.integer] = smallCount
    var expected = (zero: 0.0, one: 0.0)
    for group in TypeGroup.allCases where group != .bool {
      expected.zero += counts[group] * group.shareOfZero
      expected.one += counts[group] * group.shareOfOne
    }
    if common == nil { counts[.integer] = self.counts[.integer] }
    var prior = counts + .priorCounts
    // One of them is the key that is asked about.
    prior[.bool] += max(
      0, max(0, zeroCount - expected.zero) + max(0, oneCount - expected.one) - 1)
    let sum = prior.sum
    // However few there are: bytes that are clear weigh more than how common a type is.
    return GroupWeights { max(prior[$0] / sum, 0x1p-5) }.shares
  }

  /// How much likelier each group is for a key of this tally than for any key of the store.
  ///
  /// `own` is what the key itself was counted as; `caution` is how many keys of any type the tally has to
  /// outweigh.
  func factors(
    besides own: TypeFinding, priors: TypePriors, common: CommonShares, caution: Double
  ) -> GroupWeights {
    var tally = self
    tally.add(own, -1)
    let likely =
      tally.counts.nonnegative + common.zeros * max(0, tally.zeroCount)
      + common.ones * max(0, tally.oneCount)
    return (likely + priors.clear * caution) / (likely.sum + caution) / priors.clear
  }
}

/// Of the keys with a name that have no more than `00`, and of those with `01`, the share of each group.
struct CommonShares {
  let zeros: GroupWeights
  let ones: GroupWeights

  /// The shares for a name that makes each group likelier by `custom`.
  init(priors: TypePriors, custom: GroupWeights) {
    let known = priors.common * custom
    zeros = (known * .sharesOfZero).shares
    ones = (known * .sharesOfOne).shares
  }
}

/// How common each group is in a store, as ``TypeTally/prior(of:)`` tells.
struct TypePriors: Sendable {
  /// Of values that tell their type.
  let clear: GroupWeights
  /// Of the bytes `00` and `01`.
  let common: GroupWeights
}

/// What all values of a key, taken together, show about its type.
enum TypeFinding: Sendable {
  /// They are of this group.
  case group(TypeGroup)
  /// They are integers, the newest of which is below 128.
  case smallInteger
  /// There is one, `00`.
  case zero
  /// There is one, `01`.
  case one
  /// They are of one group or another.
  case open
}
