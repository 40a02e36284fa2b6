// What the portable program has beside the objects of the tool and the libraries: Docs/packaging/portable.

#include <archive.h>
#include <stdlib.h>

// The C++ library asks whether there is one thread only, and then goes without atomic instructions. Before glibc 2.32
// nobody knows.
char __libc_single_threaded = 0;

// kvfsck names two formats, TAR and ZIP without a directory. By this function libarchive would have all others too, with
// what they need.
int archive_read_support_format_by_code(struct archive *archive, int code) {
  if (code == ARCHIVE_FORMAT_ZIP) return archive_read_support_format_zip_streamable(archive);
  return code == ARCHIVE_FORMAT_TAR ? archive_read_support_format_tar(archive) : ARCHIVE_FATAL;
}

// Ciphers, which libarchive calls only once it was given a password, and kvfsck gives none.
#define WITHOUT(name) \
  _Noreturn void name(void) { abort(); }
WITHOUT(nettle_aes128_encrypt)
WITHOUT(nettle_aes128_set_encrypt_key)
WITHOUT(nettle_aes192_encrypt)
WITHOUT(nettle_aes192_set_encrypt_key)
WITHOUT(nettle_aes256_encrypt)
WITHOUT(nettle_aes256_set_encrypt_key)
WITHOUT(nettle_hmac_sha1_digest)
WITHOUT(nettle_hmac_sha1_set_key)
WITHOUT(nettle_hmac_sha1_update)
WITHOUT(nettle_pbkdf2_hmac_sha1)
