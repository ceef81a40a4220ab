import FoundationEssentials
import HTTPServer

extension Request {
    /// The response with a value as JSON, which has an entity tag; 304 if the client has the same already (RFC 9110, section 13).
    func json(_ value: some Encodable) -> Response {
        // The values of the API can always be written.
        json(bytes: Array((try? JSONEncoder.compact.encode(value)) ?? Data()) + Array("\n".utf8))
    }

    /// The response with a value that is JSON already.
    func json(bytes body: [UInt8]) -> Response {
        let tag = Self.entityTag(of: body)
        let headers = [("Content-Type", "application/json"), ("ETag", tag), ("Cache-Control", "no-cache")]
        return method.isSafe && knows(tag)
            ? Response(.notModified, headers: headers) : Response(headers: headers, body: body)
    }

    /// The body of the request as a value.
    func jsonBody<Value: Decodable>() throws(Problem) -> Value {
        let type = values(of: "Content-Type").first ?? ""
        let mediaType = type.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
        guard mediaType == "application/json" || mediaType == "application/merge-patch+json" else {
            throw Problem(.unsupportedMediaType, "the body must be application/json")
        }
        do {
            return try JSONDecoder().decode(Value.self, from: Data(body))
        } catch {
            throw Problem(.badRequest, "the body is not the JSON that this resource takes; see /api/v1/openapi.json")
        }
    }

    /// FNV-1a with 64 bits. A tag is compared with the same client's earlier one, so that nothing depends on collisions.
    private static func entityTag(of body: [UInt8]) -> String {
        let hash = body.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return "\"\(String(hash, radix: 16))\""
    }
}
