meta:
  id: mmkv_data
  title: MMKV data file
  license: Apache-2.0
  ks-version: '0.8'
  encoding: UTF-8
  endian: le
doc: |
  The data file of an MMKV store: a header, a log of records, and slack. The log of an encrypted
  store is ciphertext (AES-CFB-128, from offset 4 on): decrypt it before it is parsed.
  Values have no type, and where the .crc file has bit 0 of its flags set, the last four bytes of
  each value are the second since 1970 at which it expires, or 0.
doc-ref: Docs/FORMAT-MMKV.md
params:
  - id: actual_size
    type: u4
    doc: |
      The size of the log: `actual_size` of the .crc file where its version is 3 or higher,
      otherwise the header of this file.
seq:
  - id: header
    type: u4
    doc: The size of the log. MMKV 2.4 no longer updates it, and then the .crc file has the size.
  - id: payload
    type: payload
    size: '(actual_size <= _io.size - 4) ? actual_size : (_io.size - 4)'
  - id: slack
    size-eos: true
    doc: Zeros, or leftover records of earlier logs.
types:
  payload:
    seq:
      - id: prefix
        type: varint
        if: not _io.eof
        doc: Read and ignored by MMKV.
      - id: records
        type: record
        repeat: eos
  record:
    doc: A later record of a key replaces the earlier ones; an empty value removes the key.
    seq:
      - id: len_key
        type: varint
      - id: key
        size: len_key.value
        if: len_key.value != 0
      - id: len_value
        type: varint
        if: len_key.value != 0
        doc: A key of no bytes is filler, which no value follows.
      - id: value
        size: len_value.value
        if: len_key.value != 0
  varint:
    doc: A protobuf varint, of which a length uses the low 32 bits.
    seq:
      - id: groups
        type: u1
        repeat: until
        repeat-until: (_ & 0x80) == 0
    instances:
      num_groups:
        value: groups.size
      value:
        value: >-
          ((groups[0] & 0x7f)
          | ((num_groups > 1) ? ((groups[1] & 0x7f) << 7) : 0)
          | ((num_groups > 2) ? ((groups[2] & 0x7f) << 14) : 0)
          | ((num_groups > 3) ? ((groups[3] & 0x7f) << 21) : 0)
          | ((num_groups > 4) ? ((groups[4] & 0x0f) << 28) : 0))
