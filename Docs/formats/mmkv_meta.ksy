meta:
  id: mmkv_meta
  title: MMKV meta file
  file-extension: crc
  license: Apache-2.0
  ks-version: '0.8'
  endian: le
doc: |
  The .crc file beside an MMKV data file. A field has a meaning from a version on; where the version
  is lower, its bytes are zero or stale.
doc-ref: Docs/FORMAT-MMKV.md
seq:
  - id: digest
    type: u4
    doc: CRC-32 of the log, as it is stored.
  - id: version
    type: u4
    if: _io.size >= 8
  - id: sequence
    type: u4
    if: _io.size >= 12
    doc: How often the log was rewritten as a whole. From version 1 on.
  - id: vector
    size: 16
    if: _io.size >= 28
    doc: The initialization vector of AES. Not a sign of encryption. From version 2 on.
  - id: actual_size
    type: u4
    if: _io.size >= 32
    doc: From version 3 on.
  - id: confirmed_size
    type: u4
    if: _io.size >= 36
    doc: The size of the log when it was last rewritten. From version 3 on.
  - id: confirmed_digest
    type: u4
    if: _io.size >= 40
    doc: CRC-32 of the log when it was last rewritten. From version 3 on.
  - id: reserved
    size: 64
    if: _io.size >= 104
    doc: From version 3 on.
  - id: flags
    type: u8
    if: _io.size >= 112
    doc: Bit 0 says that every value ends with its expiry. From version 4 on.
  - id: padding
    size-eos: true
