import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.kvfsck.Kvfsck;

/** org.kvfsck.Kvfsck, with copies of stores: JNITest DAMAGED ENCRYPTED. */
final class JNITest {
  private static void expect(boolean condition, String what) {
    if (!condition) {
      throw new AssertionError(what);
    }
  }

  private static void expectFailure(Kvfsck.Reason reason, String part, String path) throws IOException {
    try {
      Kvfsck.repairAtLaunch(path, Kvfsck.Answer.RECOVER);
    } catch (Kvfsck.KvfsckException error) {
      expect(error.reason == reason && error.getMessage().contains(part), error.reason + ": " + error.getMessage());
      return;
    }
    throw new AssertionError(path + " was opened");
  }

  public static void main(String[] arguments) throws IOException {
    expect(Kvfsck.version().matches("\\d+\\.\\d+\\.\\d+"), Kvfsck.version());
    // Beyond ASCII and the first plane: JNI's own strings are no UTF-8.
    Path folder = Files.createDirectory(Path.of(arguments[0]).resolveSibling("Läden 🗄"));
    for (String name : new String[] {"kv", "kv.crc"}) {
      Files.copy(Path.of(arguments[0], name), folder.resolve(name));
    }
    String store = folder.resolve("kv").toString();
    byte[] damaged = Files.readAllBytes(folder.resolve("kv"));

    Kvfsck.Check check = Kvfsck.check(store);
    expect(check.verdict == Kvfsck.Verdict.REPAIRABLE && check.entryCount == 29, "check: " + check.verdict);
    expect(check.findings.get(0).matches("(?s)mmkv\\.[a-z-]+: .{20,}"), check.findings.get(0));

    Kvfsck.Repair repair = Kvfsck.repairAtLaunch(store, Kvfsck.Answer.RECOVER);
    expect(repair.isRepaired && repair.isComplete && repair.keptCount == 29 && repair.leftOutCount == 0, "repair");
    expect(repair.verdict == Kvfsck.Verdict.REPAIRABLE && repair.backup.contains("Läden 🗄"), repair.backup);
    Kvfsck.Repair second = Kvfsck.repairAtLaunch(store, Kvfsck.Answer.RECOVER);
    expect(!second.isRepaired && second.keptCount == 29 && second.backup == null, "the second launch");
    expect(Kvfsck.check(store).verdict == Kvfsck.Verdict.CLEAN, "the repaired store");

    Kvfsck.undo(repair.backup);
    expect(Arrays.equals(Files.readAllBytes(folder.resolve("kv")), damaged), "undo");
    repair = Kvfsck.repairAtLaunch(store, Kvfsck.Answer.DISCARD);
    Files.write(folder.resolve("kv"), new byte[] {1}, StandardOpenOption.APPEND);
    try {
      Kvfsck.undo(repair.backup);
      throw new AssertionError("what the app wrote was overwritten");
    } catch (Kvfsck.KvfsckException error) {
      expect(error.reason == Kvfsck.Reason.CANNOT_WRITE, error.reason + ": " + error.getMessage());
    }

    byte[] key = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    Kvfsck.Check encrypted = Kvfsck.check(arguments[1], Kvfsck.Key.aes128(key));
    expect(encrypted.verdict == Kvfsck.Verdict.CLEAN && encrypted.entryCount > 0, "encrypted: " + encrypted.verdict);
    expect(Kvfsck.check(arguments[1], Kvfsck.Key.aes256(key)).verdict == Kvfsck.Verdict.UNREADABLE, "wrong key");
    expectFailure(Kvfsck.Reason.NOT_FOUND, "/none", "/none");
    expectFailure(Kvfsck.Reason.NOT_FOUND, "empty", "");
    expectFailure(Kvfsck.Reason.INVALID_ARGUMENT, "zero byte", store + "\0x");
    expectFailure(Kvfsck.Reason.INVALID_ARGUMENT, "surrogate", "\ud800");
    System.out.println("JNI: 29 entries, repaired and undone");
  }
}
