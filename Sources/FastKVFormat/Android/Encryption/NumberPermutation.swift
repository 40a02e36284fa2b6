/// The permutation of numbers of the demo app (`NumberCipher`): three rounds in the manner of AES over
/// 4 or 8 bytes.
///
/// A round adds its key, substitutes each byte by AES's S-box and mixes columns of four bytes by AES's
/// matrix; of 8 bytes it turns the state by two bytes before the mixing. The last key is added at
/// the end. Round r has the bytes r·n to r·n + n of the SHA-256 of the app's key.
struct NumberPermutation: Sendable {
  private static let roundCount = 3

  private let roundKeys: [UInt8]

  /// The permutation under these 32 bytes.
  init(roundKeys: [UInt8]) { self.roundKeys = roundKeys }

  /// The ciphertext of `number`; itself where it has neither 4 nor 8 bytes.
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

  /// The number of `ciphertext`; the inverse of ``forward(_:)``.
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

/// The arithmetic of AES: bytes as polynomials over GF(2), modulo x⁸ + x⁴ + x³ + x + 1.
enum GaloisField {
  /// The first row of the matrix of MixColumns.
  static let mixing: [UInt8] = [2, 3, 1, 1]
  /// The first row of its inverse.
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

  /// The product of two bytes.
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
