/// The number permutation of the demo app (`NumberCipher`): three rounds in the style of AES over 4
/// or 8 bytes.
///
/// A round XORs its key, substitutes each byte by the AES S-box, and multiplies each column of four
/// bytes by the AES MixColumns matrix. With 8 bytes, it rotates the state by two bytes before
/// MixColumns. The last round key is XORed at the end. The key of round r is bytes r·n to r·n + n
/// of the SHA-256 of the app's key, where n is the number of bytes.
struct NumberPermutation: Sendable {
  private static let roundCount = 3

  private let roundKeys: [UInt8]

  /// Creates the permutation with the 32 bytes of round keys.
  init(roundKeys: [UInt8]) { self.roundKeys = roundKeys }

  /// Returns the ciphertext of `number`, or `number` itself if it has neither 4 nor 8 bytes.
  func forward(_ number: [UInt8]) -> [UInt8] {
    guard number.count == 4 || number.count == 8 else { return number }
    var state = number
    for round in 0..<NumberPermutation.roundCount {
      state = adding(round, to: state).map { GaloisField.substitution[Int($0)] }
      if state.count == 8 { state = Array(state[6...] + state[..<6]) }
      state = mixed(state, GaloisField.mixing)
    }
    return adding(NumberPermutation.roundCount, to: state)
  }

  /// Returns the number of `ciphertext`; the inverse of ``forward(_:)``.
  func inverse(_ ciphertext: [UInt8]) -> [UInt8] {
    guard ciphertext.count == 4 || ciphertext.count == 8 else { return ciphertext }
    var state = adding(NumberPermutation.roundCount, to: ciphertext)
    for round in stride(from: NumberPermutation.roundCount - 1, through: 0, by: -1) {
      state = mixed(state, GaloisField.inverseMixing)
      if state.count == 8 { state = Array(state[2...] + state[..<2]) }
      state = adding(round, to: state.map { GaloisField.inverseSubstitution[Int($0)] })
    }
    return state
  }

  private func adding(_ round: Int, to state: [UInt8]) -> [UInt8] {
    zip(state, roundKeys[(round * state.count)...]).map { $0 ^ $1 }
  }

  private func mixed(_ state: [UInt8], _ row: [UInt8]) -> [UInt8] {
    state.indices.map { index in
      let column = index / 4 * 4
      return (0..<4).reduce(0) {
        $0 ^ GaloisField.product(state[column + $1], row[($1 - index % 4 + 4) % 4])
      }
    }
  }
}

/// The field of AES: bytes as polynomials over GF(2), modulo x⁸ + x⁴ + x³ + x + 1.
enum GaloisField {
  /// The first row of the MixColumns matrix.
  static let mixing: [UInt8] = [2, 3, 1, 1]
  /// The first row of the inverse matrix.
  static let inverseMixing: [UInt8] = [14, 11, 13, 9]
  /// The S-box.
  static let substitution: [UInt8] = (0...255).map { byte in
    let inverse = (1...255).first { product(UInt8($0), UInt8(byte)) == 1 }.map { UInt8($0) } ?? 0
    return (0..<5).reduce(UInt8(0x63)) { $0 ^ rotated(inverse, by: $1) }
  }
  /// The inverse of the S-box.
  static let inverseSubstitution: [UInt8] = {
    var inverse = [UInt8](repeating: 0, count: 256)
    for (index, byte) in substitution.enumerated() { inverse[Int(byte)] = UInt8(index) }
    return inverse
  }()

  private static func rotated(_ byte: UInt8, by count: Int) -> UInt8 {
    byte << UInt8(count) | byte >> UInt8(8 - count)
  }

  /// Returns the product of two bytes.
  static func product(_ first: UInt8, _ second: UInt8) -> UInt8 {
    var (a, b, result) = (first, second, UInt8(0))
    while b != 0 {
      if b & 1 == 1 { result ^= a }
      a = a << 1 ^ (a & 0x80 == 0 ? 0 : 0x1b)
      b >>= 1
    }
    return result
  }
}
