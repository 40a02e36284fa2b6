// The native methods of org.kvfsck.Kvfsck: each passes its arguments to a function of kvfsck.h.
#include <jni.h>
#include <kvfsck.h>
#include <string.h>

// The bytes of a Java array, which are to be released.
typedef struct {
  jbyteArray array;
  jbyte *bytes;
  size_t count;
} bytes;

static bytes borrow(JNIEnv *env, jbyteArray array) {
  bytes result = {array, NULL, 0};
  if (array == NULL) return result;
  result.count = (size_t)(*env)->GetArrayLength(env, array);
  result.bytes = (*env)->GetByteArrayElements(env, array, NULL);
  return result;
}

static void give_back(JNIEnv *env, bytes borrowed) {
  if (borrowed.bytes) (*env)->ReleaseByteArrayElements(env, borrowed.array, borrowed.bytes, JNI_ABORT);
}

// Texts longer than a Java array do not occur: they are messages and paths.
static jbyteArray array_of(JNIEnv *env, kvfsck_text text) {
  if (text.bytes == NULL) return NULL;
  jbyteArray array = (*env)->NewByteArray(env, (jsize)text.count);
  if (array) (*env)->SetByteArrayRegion(env, array, 0, (jsize)text.count, (const jbyte *)text.bytes);
  return array;
}

static jbyteArray array_and_free(JNIEnv *env, kvfsck_text text) {
  jbyteArray array = array_of(env, text);
  kvfsck_text_free(&text);
  return array;
}

static jobjectArray array_of_arrays(JNIEnv *env, jsize count) {
  jclass type = (*env)->FindClass(env, "[B");
  return type ? (*env)->NewObjectArray(env, count, type, NULL) : NULL;
}

static kvfsck_options options_with(bytes key, jboolean is_aes256) {
  kvfsck_options options;
  memset(&options, 0, sizeof options);
  options.key = key.bytes;
  options.key_count = key.count;
  options.is_aes256 = is_aes256;
  return options;
}

JNIEXPORT jbyteArray JNICALL Java_org_kvfsck_Kvfsck_nativeVersion(JNIEnv *env, jclass type) {
  (void)type;
  const char *version = kvfsck_version();
  kvfsck_text text = {version, strlen(version)};
  return array_of(env, text);
}

JNIEXPORT jobjectArray JNICALL Java_org_kvfsck_Kvfsck_nativeRepairAtLaunch(
    JNIEnv *env, jclass type, jbyteArray path, jbyteArray key, jboolean is_aes256, jint answer, jlongArray numbers) {
  (void)type;
  bytes path_bytes = borrow(env, path), key_bytes = borrow(env, key);
  kvfsck_options options = options_with(key_bytes, is_aes256);
  kvfsck_repair repair;
  kvfsck_text error;
  kvfsck_status status = kvfsck_repair_at_launch(
      (const char *)path_bytes.bytes, path_bytes.count, &options, answer, &repair, &error);
  give_back(env, path_bytes);
  give_back(env, key_bytes);
  jlong values[] = {status, repair.verdict, repair.is_repaired, repair.is_complete, (jlong)repair.kept_count,
                    (jlong)repair.left_out_count};
  (*env)->SetLongArrayRegion(env, numbers, 0, 6, values);
  jbyteArray message = array_and_free(env, error), backup = array_and_free(env, repair.backup);
  jobjectArray texts = array_of_arrays(env, 2);
  if (texts == NULL) return NULL;
  (*env)->SetObjectArrayElement(env, texts, 0, message);
  (*env)->SetObjectArrayElement(env, texts, 1, backup);
  return texts;
}

// The texts of an opened store: none in the place of an error, then its findings.
static jobjectArray findings_of(JNIEnv *env, kvfsck_store *store) {
  size_t count = kvfsck_finding_count(store);
  jobjectArray texts = array_of_arrays(env, (jsize)count + 1);
  kvfsck_finding finding;
  for (size_t i = 0; texts && kvfsck_finding_at(store, i, &finding); i++) {
    jsize code = (jsize)finding.code.count, message = (jsize)finding.message.count;
    jbyteArray text = (*env)->NewByteArray(env, code + 2 + message);
    if (text == NULL) return NULL;
    (*env)->SetByteArrayRegion(env, text, 0, code, (const jbyte *)finding.code.bytes);
    (*env)->SetByteArrayRegion(env, text, code, 2, (const jbyte *)": ");
    (*env)->SetByteArrayRegion(env, text, code + 2, message, (const jbyte *)finding.message.bytes);
    (*env)->SetObjectArrayElement(env, texts, (jsize)i + 1, text);
    (*env)->DeleteLocalRef(env, text);
  }
  return texts;
}

JNIEXPORT jobjectArray JNICALL Java_org_kvfsck_Kvfsck_nativeCheck(
    JNIEnv *env, jclass type, jbyteArray path, jbyteArray key, jboolean is_aes256, jlongArray numbers) {
  (void)type;
  bytes path_bytes = borrow(env, path), key_bytes = borrow(env, key);
  kvfsck_options options = options_with(key_bytes, is_aes256);
  kvfsck_store *store;
  kvfsck_text error;
  kvfsck_status status =
      kvfsck_open((const char *)path_bytes.bytes, path_bytes.count, &options, &store, &error);
  give_back(env, path_bytes);
  give_back(env, key_bytes);
  jlong values[] = {status, kvfsck_store_verdict(store), (jlong)kvfsck_entry_count(store)};
  (*env)->SetLongArrayRegion(env, numbers, 0, 3, values);
  jobjectArray texts = store ? findings_of(env, store) : array_of_arrays(env, 1);
  kvfsck_close(store);
  jbyteArray message = array_and_free(env, error);
  if (texts && message) (*env)->SetObjectArrayElement(env, texts, 0, message);
  return texts;
}

JNIEXPORT jbyteArray JNICALL Java_org_kvfsck_Kvfsck_nativeUndo(
    JNIEnv *env, jclass type, jbyteArray backup, jlongArray numbers) {
  (void)type;
  bytes path = borrow(env, backup);
  kvfsck_text error;
  jlong status = kvfsck_undo((const char *)path.bytes, path.count, &error);
  give_back(env, path);
  (*env)->SetLongArrayRegion(env, numbers, 0, 1, &status);
  return array_and_free(env, error);
}
