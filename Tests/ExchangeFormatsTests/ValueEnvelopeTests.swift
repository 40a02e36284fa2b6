import ExchangeFormats
import KVModel
import KVTestSupport
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Encoding typed values as JSON.
struct ValueEnvelopeTests {
  @Test(arguments: Samples.values)
  func everyValueComesBackWithItsTypeAndItsBits(_ value: Value) throws {
    let data = Data(ValueEnvelope(value).json.utf8)
    let back = try JSONDecoder().decode(ValueEnvelope.self, from: data).value
    #expect(back.isSame(as: value), "\(String(decoding: data, as: UTF8.self))")
  }

  @Test(arguments: [
    (Value.int64(9_007_199_254_740_993), #"{"type":"int64","value":"9007199254740993"}"#),
    (.uint64(3), #"{"type":"uint64","value":3}"#),
    (.double(-0.0), #"{"bits":"8000000000000000","type":"double"}"#),
    (.list(.int32([1, -2])), #"{"type":"list<int32>","value":[1,-2]}"#),
    (.bytes([1, 2]), #"{"base64":"AQI=","type":"bytes"}"#),
    (.object(className: "T", [0]), #"{"base64":"AA==","class":"T","type":"object"}"#),
    (.set(["a", nil]), #"{"type":"string-set","value":["a",null]}"#),
    (.null, #"{"type":"null","value":null}"#),
  ])
  func theFormIsTheDocumentedOne(_ value: Value, _ json: String) {
    #expect(ValueEnvelope(value).json == json)
  }

  @Test(arguments: [
    #"{"type":"int32","value":2147483648}"#, #"{"type":"int99","value":1}"#,
    #"{"type":"bytes","base64":"*"}"#, #"{"type":"bool","value":1}"#, #"{"value":1}"#,
    #"{"type":"list<dictionary>","value":[]}"#, #"{"type":"double","bits":"xyz"}"#,
    // Digits in quotation marks are bits only where bits are expected, and only all of them.
    #"{"type":"double","value":"1234"}"#, #"{"type":"date","value":"1760000000000000"}"#,
    #"{"type":"float","value":"12345678"}"#, #"{"type":"float","bits":"13f800000"}"#,
    #"{"type":"double","bits":"3f800000"}"#, #"{"type":"double","bits":1}"#,
    #"{"type":"list<float>","value":["3ff0000000000000"]}"#,
    #"{"type":"double","bits":"+7ff000000000000"}"#, #"{"type":"float","bits":"-0"}"#,
    #"{"type":"int64","value":"+5"}"#, #"{"type":"uint64","value":"-0"}"#,
    #"{"type":"uint64","value":"+18446744073709551615"}"#,
  ])
  func whatIsNotOfItsTypeIsRefused(_ json: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(ValueEnvelope.self, from: Data(json.utf8))
    }
  }

  @Test func containersAreReadAsDeepAsAnyOtherFormatHoldsThem() throws {
    var array = Value.bool(true)
    var dictionary = Value.bool(true)
    for _ in 0..<Value.maximumDepth {
      array = .array([array])
      dictionary = .dictionary([.init("n", dictionary)])
    }
    for value in [array, dictionary] {
      let data = Data(ValueEnvelope(value).json.utf8)
      #expect(try JSONDecoder().decode(ValueEnvelope.self, from: data).value.isSame(as: value))
      var deeper = value
      for _ in 0..<8 { deeper = .array([deeper]) }
      let refused = Data(ValueEnvelope(deeper).json.utf8)
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(ValueEnvelope.self, from: refused)
      }
    }
  }
}
