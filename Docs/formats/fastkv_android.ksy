meta:
  id: fastkv_android
  title: FastKV for Android
  file-extension:
    - kva
    - kvb
    - kvc
  license: Apache-2.0
  ks-version: '0.8'
  encoding: UTF-8
  endian: le
doc: |
  A file of FastKV for Android: a header of 12 bytes, a log of records, and slack. The .kva and .kvb
  files are two copies of a store; a .kvc file has no slack. The keys and values of an encrypted
  file are ciphertext of the app's own cipher, except for booleans.
doc-ref: Docs/FORMAT-FASTKV-ANDROID.md
seq:
  - id: length
    type: u4
    doc: The size of the log; bit 30 says that the data is encrypted; 0xffffffff, that it is written.
  - id: checksum
    type: u8
    doc: XOR of the bytes of the log in eight lanes; the byte at offset p goes into lane p mod 8.
  - id: log
    type: log
    size: 'len_log <= _io.size - 12 ? len_log : (_io.size - 12)'
  - id: slack
    size-eos: true
instances:
  is_being_written:
    value: length == 0xffffffff
  is_encrypted:
    value: not is_being_written and (length & 0x40000000) != 0
  len_log:
    value: 'is_being_written ? 0 : (length & 0xbfffffff)'
types:
  log:
    seq:
      - id: records
        type: record
        repeat: eos
  record:
    doc: A later record of a key replaces the earlier ones.
    seq:
      - id: info
        type: u1
        doc: The type in the bits 0 to 5; bit 6 for a value in a file of its own; bit 7 for a deleted record.
      - id: len_key
        type: u1
      - id: key
        size: len_key
      - id: value
        type:
          switch-on: kind
          cases:
            'kind::boolean': value_1
            'kind::int32': value_4
            'kind::float': value_4
            'kind::int64': value_8
            'kind::double': value_8
            'kind::string': short_value
            'kind::array': short_value
            'kind::object': 'short_object(is_external)'
            'kind::large_string': long_value
            'kind::large_array': long_value
            'kind::large_object': long_object
    instances:
      kind:
        value: info & 0x3f
        enum: kind
      is_external:
        value: (info & 0x40) != 0
        doc: The value is the name of the file, 32 hexadecimal digits, which is never encrypted.
      is_deleted:
        value: (info & 0x80) != 0
  value_1:
    seq:
      - id: content
        size: 1
  value_4:
    seq:
      - id: content
        size: 4
  value_8:
    seq:
      - id: content
        size: 8
  short_value:
    seq:
      - id: len_content
        type: u2
      - id: content
        size: len_content
  long_value:
    seq:
      - id: len_content
        type: u4
      - id: content
        size: len_content
  short_object:
    params:
      - id: is_external
        type: bool
    seq:
      - id: len_content
        type: u2
      - id: file_name
        size: len_content
        if: is_external
      - id: content
        type: tagged
        size: len_content
        if: not is_external
  long_object:
    seq:
      - id: len_content
        type: u4
      - id: content
        type: tagged
        size: len_content
  tagged:
    seq:
      - id: len_tag
        type: u1
      - id: tag
        size: len_tag
        doc: The name of the app's encoder; the library's own is `StringSet`.
      - id: payload
        size-eos: true
enums:
  kind:
    1: boolean
    2: int32
    3: float
    4: int64
    5: double
    6: string
    7: array
    8: object
    9: large_string
    10: large_array
    11: large_object
