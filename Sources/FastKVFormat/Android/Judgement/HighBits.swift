import KVBytes

/// Weighs that the highest bit of every byte was cleared, as by a transfer in seven bits.
///
/// The checksum is linear in each bit: if the whole file is changed alike, it still matches, and
/// texts in ASCII decode as before. What remains is that a file without any byte from 0x80 on is
/// unlikely if it holds many bytes that could have had any value. One bit is counted for each
/// different one of these:
///
/// - the bytes of an array, if it looks random and has the length of a hash or a key,
/// - the bytes below the highest one of an integer, and those of the fraction of another number.
///
/// When this is wrong: an array of other content that happens to look random. 2 of 53,186 healthy
/// stores of texts, numbers and small messages were called damaged. In most stores few bytes could
/// have their highest bit: of 15,000 such stores whose bits were cleared, 1,732 were seen.
struct HighBits {
  /// A byte of a number at one place.
  private struct Place: Hashable {
    let type: AndroidValueType
    let index: Int
    let byte: UInt8
  }

  private let image: FileImage
  private var places: Set<Place> = []
  private var arrayBits = 0

  /// Returns whether the highest bit of every byte of `image`, which holds a plain log at `log`, was
  /// probably cleared.
  ///
  /// - Complexity: O(count of bytes before the first from 0x80 on).
  static func areCleared(in image: FileImage, _ log: Range<Int>) -> Bool {
    let bytes = image.storageSpan
    for offset in 0..<bytes.count where bytes[offset] > 0x7f { return false }
    var weighed = HighBits(image: image)
    for shape in AndroidShapes(image, in: log) where weighed.bits < AndroidPriors.clearedBits {
      weighed.add(shape)
    }
    return weighed.bits >= AndroidPriors.clearedBits
  }

  private init(image: FileImage) { self.image = image }

  private var bits: Int { arrayBits + places.count }

  private mutating func add(_ shape: AndroidRecordShape) {
    switch shape.type.base {
    case .array:
      if Self.looksRandom(image.bytes(in: shape.content)) { arrayBits += shape.content.count }
    case .int, .long:
      let last = image.lastNonzero(in: shape.content)
      addNumber(shape.content.lowerBound..<(last ?? shape.content.lowerBound), shape)
    case .float, .double: addNumber(shape.content.dropLast(2), shape)
    default: break
    }
  }

  private mutating func addNumber(_ offsets: Range<Int>, _ shape: AndroidRecordShape) {
    for offset in offsets where image[offset] != 0 {
      let index = offset - shape.content.lowerBound
      places.insert(Place(type: shape.type, index: index, byte: image[offset]))
    }
  }

  /// Returns whether `bytes` are as many as a hash, a key or a salt has, and of all kinds, none of them
  /// frequent, with changes between them and few repetitions, as no text and hardly any message has.
  private static func looksRandom(_ bytes: [UInt8]) -> Bool {
    let count = bytes.count
    guard count > 0, count % 16 == 0 || [20, 24, 28].contains(count) else { return false }
    var counts = [0, 0, 0, 0]
    var (changes, last) = (0, -1)
    for byte in bytes {
      let kind =
        switch byte {
        case 0x01...0x1f, 0x7f: 0
        case 0x41...0x5a: 1
        case 0x30...0x39, 0x61...0x7a: 2
        default: 3
        }
      counts[kind] += 1
      changes += kind == last ? 0 : 1
      last = kind
    }
    return counts[0] * 6 >= count && counts[3] * 6 >= count && counts[1] * 12 >= count
      && counts.allSatisfy { $0 * 5 <= count * 2 } && changes * 8 >= count * 5
      && Set(bytes).count * 8 >= 7 * min(count, 24)
  }
}
