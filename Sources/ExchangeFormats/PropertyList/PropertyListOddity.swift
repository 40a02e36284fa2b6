/// Something that no writer writes in this way, although it can be read.
struct PropertyListOddity {
  /// The bytes that show it.
  let range: Range<Int>
  /// A description for people to read.
  let message: String
  /// Whether CoreFoundation refuses the list for it.
  let isRefused: Bool
}

extension [PropertyListOddity] {
  /// Adds `oddity`, unless there are many already; one for which the list is refused is never left
  /// out.
  mutating func add(_ oddity: PropertyListOddity) {
    guard count < 8 || oddity.isRefused && !contains(where: \.isRefused) else { return }
    append(oddity)
  }
}
