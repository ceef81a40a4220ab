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
          "/api/v1/settings": {
           "get": {
            "summary": "The settings of a path", "operationId": "settings",
            "responses": {
             "200": {
              "description": "Those that may be changed over HTTP", "headers": {"ETag": {"schema": {"type": "string"}}},
              "content": {
               "application/json": {
                "schema": {
                 "type": "object",
                 "properties": {"settings": {"type": "array", "items": {"$ref": "#/components/schemas/Setting"}}},
                 "required": ["settings"]
                }
               }
              }
             },
             "304": {"description": "The client has it already"}, "400": {"$ref": "#/components/responses/Problem"},
             "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"},
             "404": {"$ref": "#/components/responses/Problem"}, "default": {"$ref": "#/components/responses/Problem"}
            },
            "parameters": [{"$ref": "#/components/parameters/requiredPath"}]
           },
           "patch": {
            "summary": "Changes settings of a path, all or none", "operationId": "changeSettings",
            "responses": {
             "200": {
              "description": "What the change has done, and the settings after it",
              "headers": {"ETag": {"schema": {"type": "string"}}},
              "content": {
               "application/json": {
                "schema": {
                 "type": "object",
                 "properties": {
                  "lines": {"type": "array", "items": {"type": "string"}},
                  "settings": {"type": "array", "items": {"$ref": "#/components/schemas/Setting"}}
                 },
                 "required": ["lines", "settings"]
                }
               }
              }
             },
             "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"},
             "403": {"$ref": "#/components/responses/Problem"}, "404": {"$ref": "#/components/responses/Problem"},
             "412": {"$ref": "#/components/responses/Problem"}, "415": {"$ref": "#/components/responses/Problem"},
             "422": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"},
             "default": {"$ref": "#/components/responses/Problem"}
            },
            "parameters": [
             {"$ref": "#/components/parameters/requiredPath"},
             {
              "name": "If-Match", "in": "header", "required": false, "schema": {"type": "string"},
              "description": "The ETag of the settings that the change is for"
             }
            ],
            "requestBody": {
             "required": true,
             "content": {
              "application/json": {
               "schema": {
                "type": "object", "description": "Values by key; null sets what is configured",
                "additionalProperties": {"$ref": "#/components/schemas/Value"}
               }
              }
             }
            }
           }
          },
          "/api/v1/latency": {
           "get": {
            "summary": "How long frames took in each stage", "operationId": "latency",
            "responses": {
             "200": {
              "description": "A histogram for each stage", "headers": {"ETag": {"schema": {"type": "string"}}},
              "content": {
               "application/json": {
                "schema": {
                 "type": "object",
                 "properties": {
                  "stages": {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Histogram"}}
                 },
                 "required": ["stages"]
                }
               }
              }
             },
             "304": {"description": "The client has it already"}, "400": {"$ref": "#/components/responses/Problem"},
             "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"},
             "404": {"$ref": "#/components/responses/Problem"}, "default": {"$ref": "#/components/responses/Problem"}
            },
            "parameters": [{"$ref": "#/components/parameters/requiredPath"}]
           }
          },
          "/api/v1/log": {
           "get": {
            "summary": "The last lines of the log", "operationId": "log",
            "responses": {
             "200": {
              "description": "Lines, oldest first", "headers": {"ETag": {"schema": {"type": "string"}}},
              "content": {
               "application/json": {
                "schema": {
                 "type": "object",
                 "properties": {"lines": {"type": "array", "items": {"$ref": "#/components/schemas/LogLine"}}},
                 "required": ["lines"]
                }
               }
              }
             },
             "304": {"description": "The client has it already"}, "400": {"$ref": "#/components/responses/Problem"},
             "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"},
             "default": {"$ref": "#/components/responses/Problem"}
            },
            "parameters": [
             {
              "name": "lines", "in": "query", "required": false, "description": "The number of lines",
              "schema": {"type": "integer", "minimum": 1, "maximum": 1000}
             },
             {
              "name": "after", "in": "query", "required": false, "description": "The number of a line: only newer ones",
              "schema": {"type": "integer", "minimum": 0}
             },
             {
              "name": "level", "in": "query", "required": false, "description": "The least severe level",
              "schema": {"type": "string", "enum": ["trace", "debug", "info", "notice", "warning", "error", "critical"]}
             }
            ]
           }
          },
          "/api/v1/users": {
           "get": {
            "summary": "The users and their rights, without passwords", "operationId": "users",
            "responses": {
             "200": {
              "description": "By name", "headers": {"ETag": {"schema": {"type": "string"}}},
              "content": {
               "application/json": {
                "schema": {
                 "type": "object", "properties": {"users": {"type": "array", "items": {"$ref": "#/components/schemas/User"}}},
                 "required": ["users"]
                }
               }
              }
             },
             "304": {"description": "The client has it already"}, "400": {"$ref": "#/components/responses/Problem"},
             "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"},
             "default": {"$ref": "#/components/responses/Problem"}
            }
           }
          },
          "/api/v1/devices": {
           "get": {
            "summary": "Cameras, microphones and encoders of this host", "operationId": "devices",
            "responses": {
             "200": {
              "description": "That of apus devices --json", "headers": {"ETag": {"schema": {"type": "string"}}},
              "content": {"application/json": {"schema": {"type": "object"}}}
             },
             "304": {"description": "The client has it already"}, "400": {"$ref": "#/components/responses/Problem"},
             "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"},
             "default": {"$ref": "#/components/responses/Problem"}
            }
           }
          },
          "/api/v1/tokens": {
           "post": {
            "summary": "Makes a token for URLs, with which a stream can be watched for 60 seconds", "operationId": "makeToken",
            "responses": {
             "200": {
              "description": "The token, and when it ends in milliseconds since 1970",
              "content": {
               "application/json": {
                "schema": {
                 "type": "object", "properties": {"token": {"type": "string"}, "expires": {"type": "number"}},
                 "required": ["token", "expires"]
                }
               }
              }
             },
             "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"},
             "403": {"$ref": "#/components/responses/Problem"}, "409": {"$ref": "#/components/responses/Problem"},
             "default": {"$ref": "#/components/responses/Problem"}
            },
            "parameters": [{"$ref": "#/components/parameters/requiredPath"}]
           }
          },
          "/api/v1/session": {
           "post": {
            "summary": "Logs in with a form; inside TLS only", "operationId": "logIn",
            "responses": {
             "204": {"description": "The cookie of a session", "headers": {"Set-Cookie": {"schema": {"type": "string"}}}},
             "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"},
             "403": {"$ref": "#/components/responses/Problem"}, "415": {"$ref": "#/components/responses/Problem"},
             "default": {"$ref": "#/components/responses/Problem"}
            },
            "requestBody": {
             "required": true,
             "content": {
              "application/json": {
               "schema": {
                "type": "object", "properties": {"user": {"type": "string"}, "password": {"type": "string"}},
                "required": ["user", "password"]
               }
              }
             }
            },
            "security": []
           },
           "delete": {
            "summary": "Removes the cookie of a session", "operationId": "logOut",
            "responses": {
             "204": {"description": "Removed", "headers": {"Set-Cookie": {"schema": {"type": "string"}}}},
             "403": {"$ref": "#/components/responses/Problem"}, "default": {"$ref": "#/components/responses/Problem"}
            },
            "security": []
           },
           "get": {
            "summary": "The server, and what the client may do", "operationId": "session",
            "responses": {
             "200": {
              "description": "docs/http-websocket.md explains it",
              "content": {
               "application/json": {
                "schema": {
                 "type": "object", "properties": {"server": {"type": "object"}, "client": {"type": "object"}},
                 "required": ["server", "client"]
                }
               }
              }
             },
             "default": {"$ref": "#/components/responses/Problem"}
            },
            "parameters": [
             {
              "name": "right", "in": "query", "required": false,
              "description": "401 if the client has not this right to the whole server",
              "schema": {"type": "string", "enum": ["read", "publish", "control", "status"]}
             }
            ],
            "security": []
           }
          },
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
