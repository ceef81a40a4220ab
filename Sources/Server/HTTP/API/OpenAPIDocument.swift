import HTTPServer

extension Assembly {
    /// The description of the API for programs.
    func descriptionRoutes() -> [Route] {
        [
            Route(.path("/api/v1/openapi.json"), for: .everyone, parameters: []) { request, exchange in
                exchange.respond(request.json(bytes: OpenAPIDocument.bytes))
            }
        ]
    }
}

/// The HTTP API in the form of OpenAPI 3.1. `docs/api.md` explains it.
enum OpenAPIDocument {
    static let bytes = Array(text.utf8)

    static let text = #"""
        {
         "openapi": "3.1.0",
         "info": {
          "title": "Apus", "version": "1",
          "description": "Reads and changes a running Apus server. docs/api.md has examples."
         },
         "security": [{"digest": []}, {"basic": []}, {"session": []}],
         "paths": {
          "/healthz": {
           "get": {
            "summary": "Whether the process answers", "operationId": "health",
            "responses": {
             "200": {"description": "ok", "content": {"text/plain": {"schema": {"type": "string"}}}},
             "default": {"$ref": "#/components/responses/Problem"}
            },
            "security": []
           }
          },
          "/readyz": {
           "get": {
            "summary": "Whether no source starts for the first time", "operationId": "ready",
            "responses": {
             "200": {"description": "ready", "content": {"text/plain": {"schema": {"type": "string"}}}},
             "503": {"description": "starting", "content": {"text/plain": {"schema": {"type": "string"}}}},
             "default": {"$ref": "#/components/responses/Problem"}
            },
            "security": []
           }
          },
          "/metrics": {
           "get": {
            "summary": "Metrics for Prometheus", "operationId": "metrics",
            "responses": {
             "200": {"description": "Samples in the text format", "content": {"text/plain": {"schema": {"type": "string"}}}},
             "default": {"$ref": "#/components/responses/Problem"}
            }
           }
          },
          "/api/v1/openapi.json": {
           "get": {
            "summary": "This document", "operationId": "document",
            "responses": {
             "200": {"description": "OpenAPI 3.1", "content": {"application/json": {"schema": {"type": "object"}}}},
             "304": {"description": "The client has it already"}, "default": {"$ref": "#/components/responses/Problem"}
            },
            "security": []
           }
          },
          "/api/v1/status": {
           "get": {
            "summary": "The status of the server", "operationId": "status",
            "responses": {
             "200": {
              "description": "That of apus status --json",
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Status"}}}
             },
             "default": {"$ref": "#/components/responses/Problem"}
            }
           }
          },
          "/api/v1/events": {
           "get": {
            "summary": "Events while they happen, as server-sent events", "operationId": "events",
            "responses": {
             "200": {
              "description": "A stream without end; the data of each message is an event",
              "content": {"text/event-stream": {"schema": {"$ref": "#/components/schemas/Event"}}}
             },
             "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"},
             "403": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"},
             "default": {"$ref": "#/components/responses/Problem"}
            },
            "parameters": [
             {"$ref": "#/components/parameters/path"},
             {
              "name": "kind", "in": "query", "required": false, "description": "Kinds of events, with commas; all without it",
              "schema": {"type": "string"}
             },
             {
              "name": "Last-Event-ID", "in": "header", "required": false,
              "description": "The id of the last event that the client has got: later ones that are kept are sent first",
              "schema": {"type": "string"}
             }
            ]
           }
          },
          "/api/v1/viewers": {
           "get": {
            "summary": "The clients that play", "operationId": "viewers",
            "responses": {
             "200": {
              "description": "Viewers, by path and address", "headers": {"ETag": {"schema": {"type": "string"}}},
              "content": {
               "application/json": {
                "schema": {
                 "type": "object",
                 "properties": {"viewers": {"type": "array", "items": {"$ref": "#/components/schemas/Viewer"}}},
                 "required": ["viewers"]
                }
               }
              }
             },
             "304": {"description": "The client has it already"}, "400": {"$ref": "#/components/responses/Problem"},
             "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"},
             "default": {"$ref": "#/components/responses/Problem"}
            },
            "parameters": [
             {"$ref": "#/components/parameters/path"},
             {
              "name": "limit", "in": "query", "required": false, "description": "The number of viewers",
              "schema": {"type": "integer", "minimum": 1, "maximum": 10000}
             },
             {
              "name": "after", "in": "query", "required": false,
              "description": "The id of the last viewer of the page before", "schema": {"type": "string"}
             }
            ]
           }
          },
          "/api/v1/viewers/{id}": {
           "parameters": [
            {
             "name": "id", "in": "path", "required": true, "schema": {"type": "string"},
             "description": "The id of the viewer"
            }
           ],
           "delete": {
            "summary": "Disconnects a viewer", "operationId": "disconnect",
            "responses": {
             "204": {"description": "The viewer is disconnected"}, "400": {"$ref": "#/components/responses/Problem"},
             "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"},
             "404": {"$ref": "#/components/responses/Problem"}, "default": {"$ref": "#/components/responses/Problem"}
            },
            "parameters": [{"$ref": "#/components/parameters/path"}]
           },
           "patch": {
            "summary": "Chooses a rendition for a viewer", "operationId": "chooseRendition",
            "responses": {
             "204": {"description": "The viewer moves at the next keyframe"},
             "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"},
             "403": {"$ref": "#/components/responses/Problem"}, "404": {"$ref": "#/components/responses/Problem"},
             "409": {"$ref": "#/components/responses/Problem"}, "415": {"$ref": "#/components/responses/Problem"},
             "422": {"$ref": "#/components/responses/Problem"}, "default": {"$ref": "#/components/responses/Problem"}
            },
            "parameters": [{"$ref": "#/components/parameters/path"}],
            "requestBody": {
             "required": true,
             "content": {
              "application/json": {
               "schema": {
                "type": "object", "required": ["rendition"], "additionalProperties": false,
                "properties": {
                 "rendition": {
                  "type": ["string", "null"],
                  "description": "The viewer's path or one of its substreams; null lets the viewer's network decide"
                 }
                }
               }
              }
             }
            }
           }
          },
          "/api/v1/sources/keyframe": {
           "post": {
            "summary": "Requests a keyframe", "operationId": "keyframe",
            "responses": {
             "202": {"description": "It was requested"}, "400": {"$ref": "#/components/responses/Problem"},
             "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"},
             "404": {"$ref": "#/components/responses/Problem"}, "429": {"$ref": "#/components/responses/Problem"},
             "default": {"$ref": "#/components/responses/Problem"}
            },
            "parameters": [{"$ref": "#/components/parameters/requiredPath"}]
           }
          },
          "/api/v1/sources/restart": {
           "post": {
            "summary": "Starts a source again", "operationId": "restart",
            "responses": {
             "202": {"description": "It is started again"}, "400": {"$ref": "#/components/responses/Problem"},
             "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"},
             "404": {"$ref": "#/components/responses/Problem"}, "409": {"$ref": "#/components/responses/Problem"},
             "default": {"$ref": "#/components/responses/Problem"}
            },
            "parameters": [{"$ref": "#/components/parameters/requiredPath"}]
           }
          },
        """# + administrationPaths + #"""
              "/api/v1/streams": {
               "get": {
                "summary": "The streams that the client may watch", "operationId": "streams",
                "responses": {
                 "200": {
                  "description": "docs/http-websocket.md explains them",
                  "content": {
                   "application/json": {
                    "schema": {
                     "type": "object",
                     "properties": {
                      "time": {"type": "number", "description": "Milliseconds since 1970"},
                      "streams": {"type": "array", "items": {"type": "object"}}
                     },
                     "required": ["time", "streams"]
                    }
                   }
                  }
                 },
                 "401": {"$ref": "#/components/responses/Problem"}, "404": {"$ref": "#/components/responses/Problem"},
                 "default": {"$ref": "#/components/responses/Problem"}
                },
                "parameters": [
                 {
                  "name": "path", "in": "query", "required": false, "description": "Only the stream with this path",
                  "schema": {"type": "string"}
                 }
                ]
               }
              },
              "/{path}.jpg": {
               "get": {
                "summary": "The newest frame of a stream", "operationId": "snapshot",
                "responses": {
                 "200": {"$ref": "#/components/responses/Snapshot"}, "304": {"description": "The client has it already"},
                 "default": {"$ref": "#/components/responses/Problem"}
                },
                "parameters": [
                 {"name": "path", "in": "path", "required": true, "schema": {"type": "string"}, "example": "cam"},
                 {"$ref": "#/components/parameters/width"}
                ]
               }
              },
            """# + go2rtcPaths + webRTCPaths + #"""
             },
             "components":
            """# + components + "\n}"
}
