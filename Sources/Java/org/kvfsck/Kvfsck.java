package org.kvfsck;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * Repairs stores of MMKV and FastKV before an app's own library opens them.
 *
 * <p>Needs libKVToolkitC.so and libkvfsck_jni.so, which System.loadLibrary finds. A call reads the whole store, so make it
 * on no thread that draws. Docs/EMBEDDING.md shows it.
 */
public final class Kvfsck {
  /** What to keep of a damaged store, as an app answers in MMKV's onMMKVCRCCheckFail. */
  public enum Answer {
    /** Only what a checksum verifies. */
    DISCARD,
    /** All that is more likely right than wrong. */
    RECOVER
  }

  /** Whether a store is damaged. */
  public enum Verdict {
    /** Nothing is damaged. */
    CLEAN,
    /**
     * Something is damaged, but a checksum matches over the log that is kept or over each record, and
     * nothing shows that an entry was lost or changed.
     */
    REPAIRABLE,
    /** Entries are lost or changed, or nothing shows that none are. */
    DAMAGED,
    /** No record can be read: the key is missing or wrong, or this is not a store. */
    UNREADABLE
  }

  /** Why a call failed. Damage is no error. */
  public enum Reason {
    INVALID_ARGUMENT,
    NOT_FOUND,
    SEVERAL_STORES,
    NOT_RECOGNIZED,
    CANNOT_READ,
    UNREADABLE,
    CANNOT_WRITE
  }

  /** A call failed: the message says what, where, and what to do next. */
  public static final class KvfsckException extends IOException {
    private static final long serialVersionUID = 1;

    /** The kind of failure, for programs. */
    public final Reason reason;

    private KvfsckException(Reason reason, String message) {
      super(message);
      this.reason = reason;
    }
  }

  /** The key of an encrypted store. */
  public static final class Key {
    private final byte[] bytes;
    private final boolean isAES256;

    private Key(byte[] bytes, boolean isAES256) {
      this.bytes = bytes.clone();
      this.isAES256 = isAES256;
    }

    /** A key for AES-128, which is MMKV's default. */
    public static Key aes128(byte[] bytes) {
      return new Key(bytes, false);
    }

    /** A key for AES-256. */
    public static Key aes256(byte[] bytes) {
      return new Key(bytes, true);
    }
  }

  /** What a repair did. */
  public static final class Repair {
    /** The verdict on the store as it was found. */
    public final Verdict verdict;
    /** Whether files were written; a clean store is left as it is. */
    public final boolean isRepaired;
    /** Whether nothing is known to be missing from the new store. */
    public final boolean isComplete;
    /** The number of entries in the new store, or in the clean one. */
    public final long keptCount;
    /** The number of entries that were found but are not in the new store. */
    public final long leftOutCount;
    /** The folder with the old files, for {@link #undo}; null if nothing was repaired. */
    public final String backup;

    private Repair(long[] numbers, String backup) {
      verdict = Verdict.values()[(int) numbers[1]];
      isRepaired = numbers[2] != 0;
      isComplete = numbers[3] != 0;
      keptCount = numbers[4];
      leftOutCount = numbers[5];
      this.backup = backup;
    }
  }

  /** What is wrong with a store. */
  public static final class Check {
    /** The verdict. */
    public final Verdict verdict;
    /** The number of entries that could be read. */
    public final long entryCount;
    /** The findings, the worst first: a stable code such as mmkv.checksum-mismatch, a colon, and a message. */
    public final List<String> findings;

    private Check(long[] numbers, List<String> findings) {
      verdict = Verdict.values()[(int) numbers[1]];
      entryCount = numbers[2];
      this.findings = findings;
    }
  }

  static {
    System.loadLibrary("kvfsck_jni");
  }

  private Kvfsck() {}

  /** Returns the version of the library, such as 0.9.0. */
  public static String version() {
    return text(nativeVersion());
  }

  /** Repairs the store at a path in place, unless it is clean. Call it before the app's library opens the store. */
  public static Repair repairAtLaunch(String path, Answer answer) throws KvfsckException {
    return repairAtLaunch(path, answer, null);
  }

  /** Repairs the encrypted store at a path in place, unless it is clean; a key of null is none. */
  public static Repair repairAtLaunch(String path, Answer answer, Key key) throws KvfsckException {
    long[] numbers = new long[6];
    byte[][] texts = nativeRepairAtLaunch(utf8(path), bytes(key), isAES256(key), answer.ordinal(), numbers);
    throwIfFailed(numbers, texts);
    return new Repair(numbers, texts[1] == null ? null : text(texts[1]));
  }

  /** Says what is wrong with the store at a path, and changes nothing. */
  public static Check check(String path) throws KvfsckException {
    return check(path, null);
  }

  /** Says what is wrong with the encrypted store at a path, and changes nothing; a key of null is none. */
  public static Check check(String path, Key key) throws KvfsckException {
    long[] numbers = new long[3];
    byte[][] texts = nativeCheck(utf8(path), bytes(key), isAES256(key), numbers);
    throwIfFailed(numbers, texts);
    List<String> findings = new ArrayList<>();
    for (int index = 1; index < texts.length; index++) {
      findings.add(text(texts[index]));
    }
    return new Check(numbers, Collections.unmodifiableList(findings));
  }

  /** Restores the files that a repair has replaced. */
  public static void undo(String backup) throws KvfsckException {
    long[] numbers = new long[1];
    byte[] error = nativeUndo(utf8(backup), numbers);
    throwIfFailed(numbers, new byte[][] {error});
  }

  private static void throwIfFailed(long[] numbers, byte[][] texts) throws KvfsckException {
    if (numbers[0] != 0) {
      throw new KvfsckException(Reason.values()[(int) numbers[0] - 1], texts[0] == null ? "" : text(texts[0]));
    }
  }

  private static byte[] bytes(Key key) {
    return key == null ? null : key.bytes;
  }

  private static boolean isAES256(Key key) {
    return key != null && key.isAES256;
  }

  private static byte[] utf8(String path) throws KvfsckException {
    try {
      ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(path));
      return Arrays.copyOf(bytes.array(), bytes.limit());
    } catch (CharacterCodingException error) {
      throw new KvfsckException(Reason.INVALID_ARGUMENT, "the path has half of a surrogate pair: " + error.getMessage());
    }
  }

  private static String text(byte[] utf8) {
    return new String(utf8, StandardCharsets.UTF_8);
  }

  // The first number is a KVFSCK_STATUS_ value, the first text an error or null.

  private static native byte[] nativeVersion();

  private static native byte[][] nativeRepairAtLaunch(
      byte[] path, byte[] key, boolean isAES256, int answer, long[] numbers);

  private static native byte[][] nativeCheck(byte[] path, byte[] key, boolean isAES256, long[] numbers);

  private static native byte[] nativeUndo(byte[] backup, long[] numbers);
}
