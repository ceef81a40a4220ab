extension OpenAPIDocument {
    /// The parts to which the paths refer: security schemes, parameters, responses and schemas.
    static let components = #"""
        {
          "securitySchemes": {
           "digest": {"type": "http", "scheme": "digest", "description": "Without TLS"},
           "basic": {"type": "http", "scheme": "basic", "description": "Inside TLS only"},
           "session": {"type": "apiKey", "in": "cookie", "name": "__Host-apus", "description": "From POST /api/v1/session"}
          },
          "parameters": {
           "path": {
            "name": "path", "in": "query", "required": false,
            "description": "The path of a stream with its leading slash; the right to it is enough",
            "schema": {"type": "string", "pattern": "^/"}, "example": "/cam"
           },
           "src": {
            "name": "src", "in": "query", "required": true, "description": "The path of a stream without its leading slash",
            "schema": {"type": "string"}, "example": "cam"
           },
           "width": {
            "name": "width", "in": "query", "required": false,
            "description": "In pixels; the next larger one of 160, 320, 640 and 1280 is sent, or the frame's own",
            "schema": {"type": "integer", "minimum": 1, "maximum": 16384}
           },
           "requiredPath": {
            "name": "path", "in": "query", "required": true, "description": "The path of a stream with its leading slash",
            "schema": {"type": "string", "pattern": "^/"}, "example": "/cam"
           }
          },
          "responses": {
           "Snapshot": {
            "description": "The newest frame; the header Capture-Time has milliseconds since 1970",
            "content": {"image/jpeg": {"schema": {"type": "string", "format": "binary"}}}
           },
           "Problem": {
            "description": "What is wrong, in a sentence",
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
           }
          },
          "schemas": {
           "Problem": {
            "type": "object",
            "properties": {
             "type": {"type": "string"}, "title": {"type": "string"}, "status": {"type": "integer"},
             "detail": {"type": "string"}
            },
            "required": ["type", "title", "status", "detail"]
           },
           "Viewer": {
            "type": "object",
            "properties": {
             "id": {"type": "string"}, "path": {"type": "string"}, "peer": {"type": "string"}, "client": {"type": "string"},
             "user": {"type": "string"}, "transport": {"type": "string"},
             "playing": {"type": "number", "description": "Seconds"},
             "backlog": {"type": "number", "description": "Milliseconds"}, "unreadBytes": {"type": "integer"},
             "droppedUnits": {"type": "integer"},
             "network": {
              "type": "object",
              "description": "How well its packets arrive; absent if nothing is known",
              "properties": {
               "lost": {"type": "integer", "description": "Packets lost on the way"},
               "retransmitted": {"type": "integer"}, "refused": {"type": "integer"},
               "missing": {"type": "integer", "description": "Packets that the client still lacks"},
               "roundTrip": {"type": "number", "description": "Milliseconds"},
               "bytesInFlight": {"type": "integer", "description": "Bytes that a client over RTMP has not acknowledged"},
               "capacity": {"type": "integer", "description": "Bit/s that the path carries, if the encoder follows its viewers"},
               "capacityReason": {"type": "string"},
               "rendition": {"type": "string", "description": "The substream that it gets instead of the path, if there is a choice"}
              }
             }
            },
            "required": ["id", "path", "peer", "transport", "playing", "backlog", "unreadBytes", "droppedUnits"]
           },
           "Status": {
            "type": "object",
            "description": "docs/api.md says where its keys are described",
            "properties": {
             "streams": {
              "type": "array",
              "items": {
               "type": "object",
               "properties": {
                "input": {"type": "object", "properties": {"srt": {"$ref": "#/components/schemas/SRTConnection"}}},
                "forwards": {
                 "type": "array",
                 "items": {"type": "object", "properties": {"srt": {"$ref": "#/components/schemas/SRTConnection"}}}
                }
               }
              }
             },
             "viewers": {"type": "array", "items": {"$ref": "#/components/schemas/Viewer"}}
            }
           },
           "SRTConnection": {
            "type": "object",
            "description": "What libsrt has counted on a connection by which a stream is received or forwarded; absent without SRT",
            "properties": {
             "roundTrip": {"type": "number", "description": "Milliseconds"},
             "lost": {"type": "integer", "description": "Packets lost on the way, before they were sent again"},
             "retransmitted": {"type": "integer", "description": "Packets sent again; of an input those that have come"},
             "dropped": {
              "type": "integer", "description": "Packets that were too late: missing when they were due, or not sent"
             },
             "buffer": {
              "type": "number", "description": "Milliseconds of media that are not due yet, or that the server has not acknowledged"
             },
             "latency": {"type": "number", "description": "Milliseconds, as both ends have agreed"}
            },
            "required": ["roundTrip", "lost", "retransmitted", "dropped", "buffer", "latency"]
           },
           "Event": {
            "type": "object",
            "properties": {
             "id": {"type": "string"}, "number": {"type": "integer"}, "kind": {"type": "string"},
             "time": {"type": "number", "description": "Milliseconds since 1970"}, "path": {"type": "string"},
             "text": {"type": "string"}, "reason": {"type": "string"},
             "settings": {"type": "array", "items": {"type": "string"}}, "peer": {"type": "string"},
             "client": {"type": "string"}, "transport": {"type": "string"}, "user": {"type": "string"}
            },
            "required": ["id", "number", "kind", "time", "path", "text"]
           },
           "Value": {
            "description": "Of the type of the setting", "type": ["integer", "boolean", "string", "array", "object", "null"]
           },
           "Setting": {
            "type": "object",
            "properties": {
             "key": {"type": "string"}, "value": {"$ref": "#/components/schemas/Value"},
             "origin": {"type": "string", "enum": ["default", "file", "command line", "settings", "apus set"]},
             "configured": {"$ref": "#/components/schemas/Value"},
             "type": {"type": "string", "enum": ["integer", "boolean", "text", "choice", "rectangles", "map"]},
             "minimum": {"type": "integer"}, "maximum": {"type": "integer"}, "unit": {"type": "string"},
             "maximumBytes": {"type": "integer"}, "choices": {"type": "array", "items": {"type": "string"}},
             "controls": {"type": "array", "items": {"type": "object"}},
             "maximumCount": {"type": "integer"}, "reason": {"type": "string"}, "effect": {"type": "string"}
            },
            "required": ["key", "value", "origin", "configured", "type", "reason", "effect"]
           },
           "Histogram": {
            "type": "object",
            "properties": {
             "count": {"type": "integer"}, "sum": {"type": "number", "description": "Milliseconds"},
             "bounds": {"type": "array", "items": {"type": "number"}, "description": "Upper limits in milliseconds"},
             "counts": {
              "type": "array", "items": {"type": "integer"},
              "description": "Frames in each interval, and above the last limit"
             }
            },
            "required": ["count", "sum", "bounds", "counts"]
           },
           "LogLine": {
            "type": "object",
            "properties": {
             "number": {"type": "integer"}, "time": {"type": "number", "description": "Milliseconds since 1970"},
             "level": {"type": "string"}, "text": {"type": "string"}
            },
            "required": ["number", "time", "level", "text"]
           },
           "User": {
            "type": "object",
            "properties": {
             "name": {"type": "string"}, "read": {"type": "array", "items": {"type": "string"}},
             "publish": {"type": "array", "items": {"type": "string"}},
             "control": {"type": "array", "items": {"type": "string"}}, "status": {"type": "boolean"},
             "allow": {"type": "array", "items": {"type": "string"}}, "deny": {"type": "array", "items": {"type": "string"}}
            },
            "required": ["name", "read", "publish", "control", "status", "allow", "deny"]
           }
          }
         }
        """#
}
