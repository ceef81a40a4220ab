import Fuzzing
import HTTP

/// The parameters of a query have unique names and no control characters, and are the same after writing and reading them again.
@Sendable func fuzzHTTPQuery(_ input: [UInt8]) {
    guard let query = Query(String(decoding: input, as: UTF8.self)) else { return }
    let parameters = query.parameters
    require(parameters.count <= 32, "the number of parameters is bounded")
    for (index, parameter) in parameters.enumerated() {
        require(query[parameter.name] == parameter.value, "a name has one value")
        require(!parameters[..<index].contains { $0.name == parameter.name }, "names are unique")
        require((parameter.name + parameter.value).utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "values are lines")
    }
    let written = parameters.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&")
    require(Query(written) == query, "\(written) reads the same")
}

/// A text with each byte percent-encoded.
private func encoded(_ text: String) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let bytes = text.utf8.flatMap { [UInt8(ascii: "%"), digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: bytes, as: UTF8.self)
}
