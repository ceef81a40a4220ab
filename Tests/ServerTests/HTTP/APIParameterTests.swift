import Foundation
import TestSupport
import Testing

@testable import Server

/// The parameters of the API: those that the OpenAPI document describes, and no others.
struct APIParameterTests {
    /// A request that the document describes, and the parameters that its query may have.
    struct Operation {
        let request: String
        let parameters: [String]
    }

    private static func operations() throws -> [Operation] {
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(OpenAPIDocument.bytes)) as? [String: Any])
        let components = try #require(document["components"] as? [String: Any])
        let shared = try #require(components["parameters"] as? [String: [String: Any]])
        let paths = try #require(document["paths"] as? [String: [String: Any]])
        return paths.filter { $0.key == "/metrics" || $0.key.hasPrefix("/api/v1/") }.flatMap { path, methods in
            methods.filter { ["get", "post", "patch", "delete"].contains($0.key) }.map { method, description in
                let listed = ["parameters"].flatMap { key in
                    [methods, description as? [String: Any] ?? [:]].flatMap { $0[key] as? [[String: Any]] ?? [] }
                }
                let named = listed.map { parameter in
                    (parameter["$ref"] as? String).flatMap { shared[String($0.split(separator: "/").last ?? "")] }
                        ?? parameter
                }
                return Operation(
                    request: "\(method.uppercased()) \(path.replacing("{id}", with: "v1"))",
                    parameters: named.filter { $0["in"] as? String == "query" }.compactMap { $0["name"] as? String })
            }
        }
    }

    @Test func unknownParametersAreRefusedByAllRequests() throws {
        let server = try APIServer()
        let operations = try Self.operations()
        #expect(operations.count >= 15, "\(operations)")
        for operation in operations {
            let response = try server.ask("\(operation.request)?unknown=1")
            #expect(response.status == 400, "\(operation.request)")
            #expect(response.text.contains("there is no parameter unknown"), "\(response.text)")
        }
    }

    @Test func describedParametersAreKnown() throws {
        let server = try APIServer()
        for operation in try Self.operations() {
            for name in operation.parameters {
                // No request succeeds with this value, so that nothing changes.
                let response = try server.ask("\(operation.request)?\(name)=%3F")
                #expect(!response.text.contains("there is no parameter"), "\(operation.request) \(name)")
            }
        }
    }
}
