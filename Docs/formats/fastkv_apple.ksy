meta:
  id: fastkv_apple
  title: FastKV for iOS and macOS
  file-extension: fkv
  license: Apache-2.0
  ks-version: '0.8'
  encoding: UTF-8
  endian: le
doc: |
  A store of FastKV for Apple systems: a header of 18 bytes, a log of records that each end with a
  separator, and slack. Two things that the file does not state are read off the first record: the
  width of a word (8 bytes, or 4 if a 32-bit app wrote it) and the length of the separator.
doc-ref: Docs/FORMAT-FASTKV-APPLE.md
seq:
  - id: magic
    contents: FastKV
  - id: version
    type: u4
  - id: length
    type: u8
    doc: The size of the log.
  - id: log
    type: log
    size: '(length <= _io.size - 18) ? length : (_io.size - 18)'
  - id: slack
    size-eos: true
instances:
  is_wide:
    value: word_half == 0
    doc: Whether a word is of 8 bytes. Where it is of 4, these bytes are the record's version, 1.
  word_half:
    pos: 22
    type: u4
  first_fields:
    pos: 18
    type: fields(is_wide)
  separator_offset:
    value: >-
      18 + (is_wide ? 36 : 20) + first_fields.len_class + first_fields.len_key
      + first_fields.len_value + 2
  after_short_separator:
    pos: 'separator_offset + (is_wide ? 8 : 4)'
    type: u1
  len_separator:
    value: 'after_short_separator == (is_wide ? 0x65 : 0x74) ? 23 : (is_wide ? 8 : 4)'
    doc: |
      23 bytes, `$FastKVSeperatorString$`. Releases 0.1.0 and 0.2.0 wrote no more of it than the
      size of a pointer.
types:
  log:
    seq:
      - id: records
        type: record(_root.is_wide, _root.len_separator)
        repeat: eos
  fields:
    params:
      - id: is_wide
        type: bool
    seq:
      - id: type_code
        type:
          switch-on: is_wide
          cases:
            'true': u8
            'false': u4
      - id: version
        type: u4
      - id: len_class
        type:
          switch-on: is_wide
          cases:
            'true': u8
            'false': u4
      - id: len_key
        type:
          switch-on: is_wide
          cases:
            'true': u8
            'false': u4
      - id: len_value
        type:
          switch-on: is_wide
          cases:
            'true': u8
            'false': u4
  record:
    params:
      - id: is_wide
        type: bool
      - id: len_separator
        type: u4
    seq:
      - id: fields
        type: fields(is_wide)
      - id: class_name
        size: fields.len_class
      - id: key
        size: fields.len_key
      - id: value
        size: fields.len_value
        doc: A double is stored as a float and four stray bytes.
      - id: digest
        type: u2
        doc: |
          CRC-16/XMODEM of the record before it; of a longer record than 65,535 bytes, of as many
          of its first bytes as the low 16 bits of the count say.
      - id: separator
        size: len_separator
    instances:
      kind:
        value: fields.type_code
        enum: kind
enums:
  kind:
    0: removed
    1: nil_object
    2: boolean
    3: int32
    4: int64
    5: float
    6: double
    7: string
    8: data
