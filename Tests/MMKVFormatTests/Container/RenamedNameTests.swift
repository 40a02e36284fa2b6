import KVModel
import SystemPackage
import Testing

/// The names of a side file that was renamed with its main file, of which there are as many as the
/// name has places.
struct RenamedNameTests {
  /// The number of places, from the end of a name, at which an addition can begin.
  private static let limit = 16

  /// Tests names with up to more places than are looked at: those at the end count, because an
  /// addition stands there.
  @Test func anAdditionIsLookedForFromTheEnd() {
    for count in 1...20 {
      let parts = (0...count).map { "part\($0)" }
      let main = FilePath("folder.d/" + parts.joined(separator: "."))
      let sides = (1...count).map { place in
        FilePath(
          "folder.d/" + parts[..<place].joined(separator: ".") + ".crc."
            + parts[place...].joined(separator: "."))
      }
      let expected = sides.suffix(Self.limit) + [FilePath("\(main).CRC")]
      #expect(RenamedPair.sides(of: main, suffix: ".crc") == Array(expected))
      for side in sides {
        let found = RenamedPair.main(of: side, suffix: ".crc")
        #expect(found == (expected.contains(side) ? main : nil), "\(side)")
      }
      #expect(RenamedPair.main(of: FilePath("\(main).CRC"), suffix: ".crc") == main)
    }
  }

  @Test func aNameThatEndsLikeASideFileIsAName() {
    #expect(RenamedPair.sides(of: "a.crc", suffix: ".crc") == ["a.crc.CRC"])
    #expect(RenamedPair.main(of: "user.crc (1)", suffix: ".crc") == "user (1)")
    #expect(RenamedPair.main(of: "user.crc", suffix: ".crc") == nil)
  }
}
