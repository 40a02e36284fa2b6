import KVBytes
import KVModel

/// The members of a dictionary within a value.
struct DictionaryMembers {
  /// A repeated name.
  struct Repetition: Hashable {
    let name: String
    /// The bytes of the repetition.
    let range: Range<Int>
  }

  /// Which of the values of a repeated name counts, as for CoreFoundation: the first in a binary
  /// list, the last in XML.
  private let keepsFirst: Bool
  private var members: [Value.Member] = []
  private var places: [ByteText: Int] = [:]
  /// The repeated names, in the order of the file.
  private(set) var repetitions: [Repetition] = []

  /// Creates an empty dictionary.
  init(keepingFirst keepsFirst: Bool) { self.keepsFirst = keepsFirst }

  /// The dictionary.
  var value: Value { .dictionary(members) }

  /// Adds a member, whose bytes are in `range`.
  mutating func add(_ name: String, _ value: Value, at range: Range<Int>) {
    let member = Value.Member(name, value)
    guard let place = places[ByteText(name)] else {
      places[ByteText(name)] = members.count
      members.append(member)
      return
    }
    if !keepsFirst { members[place] = member }
    repetitions.append(Repetition(name: name, range: range))
  }
}

/// What is worth a finding or a caution in a value that can be read.
struct ValueNotes {
  /// The names that dictionaries within the value repeat.
  var repetitions: [DictionaryMembers.Repetition] = []
  /// The texts in which half of a surrogate pair is replaced.
  var halves: [Range<Int>] = []
  /// What no writer writes, although CoreFoundation reads it.
  var oddities: [PropertyListOddity] = []
  /// Whether bytes of the value may be damaged.
  var isDamaged = false
  /// The objects of a binary list whose bytes may be damaged.
  var damaged: [Range<Int>] = []
}
