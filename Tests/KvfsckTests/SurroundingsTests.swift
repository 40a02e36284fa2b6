#if os(Linux)
  import Foundation
  import KVTestSupport
  import Testing

  /// What the tool makes of the system around it: its arguments, and the access times of files.
  struct SurroundingsTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Returns whether this process may unmount `/proc` in a namespace of its own.
    private static func canHideProc() async -> Bool {
      let outcome = try? await Tool.shell(
        "unshare -m sh -c 'umount -l /proc && ! test -e /proc/self'")
      return outcome?.status == 0
    }

    /// Without `/proc`, Swift has no arguments, and the tool would be called without a command.
    @Test(.enabled("/proc cannot be unmounted here") { await canHideProc() })
    func theLackOfArgumentsIsSaid() async throws {
      let store = try scratch.copy(.clean)
      for arguments in ["check \(store)", "--version", ""] {
        let outcome = try await Tool.shell(
          #"unshare -m sh -c 'umount -l /proc && exec "$0" \#(arguments)' "$0""#)
        #expect(outcome.status == 8 && outcome.output == "", "\(outcome.testDescription)")
        #expect(outcome.errors.contains("/proc is not mounted"), "\(outcome.testDescription)")
      }
    }

    /// Makes the files at `paths` look read long ago, and returns a script that prints when they were
    /// read last.
    private static func aging(_ paths: String) -> String {
      "touch -m -d 2021-01-01 \(paths); touch -a -d 2020-01-01 \(paths); stat -c %X \(paths)"
    }

    /// Returns whether reading a file here changes its access time.
    private func keepsTimes() async throws -> Bool {
      let outcome = try await Tool.shell(
        "echo > f; \(Self.aging("f")); cat f > /dev/null; stat -c %X f", in: scratch.path)
      return outcome.lines.first != outcome.lines.last
    }

    @Test func readingLeavesTheAccessTimesOfOwnFiles() async throws {
      _ = try scratch.copy(.lossy)
      guard try await keepsTimes() else { return }
      let paths = "store store/kv store/kv.crc"
      for command in [
        "check store", "scan store", "dump store/kv", "map store/kv", "repair store --out new -y",
        "convert store --accept-bytes --to json --out new.json", "report store --out new.html",
      ] {
        let outcome = try await Tool.shell(
          #"\#(Self.aging(paths)); "$0" \#(command) > /dev/null 2>&1; stat -c %X \#(paths)"#,
          in: scratch.path)
        #expect(outcome.lines.prefix(3) == outcome.lines.suffix(3), "\(command)")
        #expect(outcome.lines.count == 6, "\(outcome.testDescription)")
      }
    }

    /// `O_NOATIME` is for the owner and for root; others read the file all the same.
    @Test(.enabled("only root can become another user") { getuid() == 0 })
    func aFileOfAnotherUserIsReadAllTheSame() async throws {
      _ = try scratch.copy(.clean)
      let outcome = try await Tool.shell(
        """
        chmod 755 . store; chmod 644 store/*
        setpriv --reuid 65534 --regid 65534 --clear-groups "$0" check store
        """, in: scratch.path)
      // The tool itself may be where that user cannot run it.
      guard outcome.status != 126, outcome.status != 127 else { return }
      #expect(outcome.status == 0, "\(outcome.testDescription)")
    }
  }
#endif
