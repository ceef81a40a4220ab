import HTTP
import RTSP

/// An error response that says what is wrong: a sentence for people, in the form of RFC 9457.
public struct Problem: Error, Hashable, Sendable {
    public let status: Response.Status
    /// What is wrong, and what to do about it: a sentence without a full stop.
    public let detail: String
    /// Further headers, such as `WWW-Authenticate` and `Retry-After`.
    var headers: [Header]

    struct Header: Hashable, Sendable {
        let name: String
        let value: String
    }

    public init(_ status: Response.Status, _ detail: String) {
        self.init(status, detail, headers: [])
    }

    /// - Parameter retryAfter: the seconds after which the client may try again.
    public init(_ status: Response.Status, _ detail: String, retryAfter: Int) {
        self.init(status, detail, headers: [Header(name: "Retry-After", value: "\(retryAfter)")])
    }

    init(_ status: Response.Status, _ detail: String, headers: [Header]) {
        (self.status, self.detail, self.headers) = (status, detail, headers)
    }

    init(_ failure: RequestFailure) {
        self.init(Response.Status(failure.status), failure.description)
    }

    /// The refusal of the authenticator.
    init(_ refusal: Refusal, detail: String) {
        self.init(
            Response.Status(refusal.status.code), detail,
            headers: refusal.headers.fields.map { Header(name: $0.name.text, value: $0.value) })
    }

    public var response: Response {
        let members = [
            "\"type\":\"about:blank\"", "\"title\":\(jsonString(status.phrase))", "\"status\":\(status.code)",
            "\"detail\":\(jsonString(detail))",
        ]
        var response = Response(
            "{\(members.joined(separator: ","))}\n", as: "application/problem+json", status)
        response.headers += headers.map { ($0.name, $0.value) }
        return response
    }
}

/// The text as a string of JSON (RFC 8259, section 7), with quotes.
func jsonString(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"", "\\": result += "\\\(scalar)"
        case _ where scalar.value < 0x20:
            let digits = String(scalar.value, radix: 16)
            result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result + "\""
}
