"""kvfsck.h through ctypes: ctypes_test.py LIBRARY STORE, a copy of Fixtures/mmkv/damaged/flip_keylen_fwb."""
import ctypes
import sys


class Text(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_void_p), ("count", ctypes.c_size_t)]

    def value(self):
        return ctypes.string_at(self.bytes, self.count) if self.bytes else None


class Entry(ctypes.Structure):
    _fields_ = [
        ("key", Text), ("bytes", Text), ("kind", Text), ("probability", ctypes.c_double), ("expires_at", ctypes.c_uint32),
        ("evidence", ctypes.c_int32), ("cautions", ctypes.c_uint32)]


class Repair(ctypes.Structure):
    _fields_ = [
        ("verdict", ctypes.c_int32), ("is_repaired", ctypes.c_bool), ("is_complete", ctypes.c_bool),
        ("kept_count", ctypes.c_size_t), ("left_out_count", ctypes.c_size_t), ("backup", Text)]


library = ctypes.CDLL(sys.argv[1])
library.kvfsck_version.restype = ctypes.c_char_p
for name in ("kvfsck_open", "kvfsck_repair_at_launch", "kvfsck_undo", "kvfsck_store_verdict"):
    getattr(library, name).restype = ctypes.c_int32
for name in ("kvfsck_entry_at", "kvfsck_entry_string"):
    getattr(library, name).restype = ctypes.c_bool
library.kvfsck_entry_count.restype = ctypes.c_size_t
path = sys.argv[2].encode()


def opened():
    store, error = ctypes.c_void_p(), Text()
    status = library.kvfsck_open(path, ctypes.c_size_t(len(path)), None, ctypes.byref(store), ctypes.byref(error))
    assert status == 0, error.value()
    return store


def entries(store):
    """The key of each entry, with its likeliest type and its bytes."""
    found, entry, index = {}, Entry(), ctypes.c_size_t(0)
    while library.kvfsck_entry_at(store, index, ctypes.byref(entry)):
        found[entry.key.value()] = (entry.kind.value(), entry.bytes.value())
        index.value += 1
    assert len(found) == library.kvfsck_entry_count(store)
    return found


assert library.kvfsck_version().count(b".") == 2
store = opened()
assert library.kvfsck_store_verdict(store) == 1
before = entries(store)
assert len(before) == 29
library.kvfsck_close(store)

repair, error = Repair(), Text()
assert library.kvfsck_repair_at_launch(
    path, ctypes.c_size_t(len(path)), None, 1, ctypes.byref(repair), ctypes.byref(error)) == 0
assert (repair.verdict, repair.is_repaired, repair.is_complete, repair.kept_count) == (1, True, True, 29)
store = opened()
assert library.kvfsck_store_verdict(store) == 0
assert entries(store) == before
library.kvfsck_close(store)

backup = repair.backup.value()
assert library.kvfsck_undo(backup, ctypes.c_size_t(len(backup)), ctypes.byref(error)) == 0
library.kvfsck_text_free(ctypes.byref(repair.backup))
assert repair.backup.value() is None
missing = library.kvfsck_open(b"/none", ctypes.c_size_t(5), None, ctypes.byref(store), ctypes.byref(error))
assert missing == 2 and b"/none" in error.value()
library.kvfsck_text_free(ctypes.byref(error))
print("ctypes: 29 entries, repaired and undone")
