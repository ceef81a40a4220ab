extension OpenAPIDocument {
    /// Settings, latency, the log, users, devices, tokens, and logging in with a form.
    static let administrationPaths = #"""

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

        """#
}
