extension OpenAPIDocument {
    /// The addresses of go2rtc.
    static let go2rtcPaths = #"""

          "/api": {
           "get": {
            "summary": "The version of go2rtc whose addresses these are", "operationId": "go2rtcServer",
            "responses": {
             "200": {"description": "Its value", "content": {"application/json": {"schema": {"type": "object"}}}},
             "304": {"description": "The client has it already"},
             "default": {"$ref": "#/components/responses/Problem"}
            }
           }
          },
          "/api/schemes": {
           "get": {
            "summary": "The kinds of sources that can be added over HTTP: none", "operationId": "go2rtcSchemes",
            "responses": {
             "200": {"description": "Its value", "content": {"application/json": {"schema": {"type": "array"}}}},
             "304": {"description": "The client has it already"},
             "default": {"$ref": "#/components/responses/Problem"}
            }
           }
          },
          "/api/preload": {
           "get": {
            "summary": "The streams that were told to run: none", "operationId": "go2rtcPreload",
            "responses": {
             "200": {"description": "Its value", "content": {"application/json": {"schema": {"type": "object"}}}},
             "304": {"description": "The client has it already"},
             "default": {"$ref": "#/components/responses/Problem"}
            }
           },
           "put": {
            "summary": "Refused with 403: paths with onDemand: false always run", "operationId": "putGo2rtcPreload",
            "responses": {"default": {"$ref": "#/components/responses/Problem"}}
           },
           "post": {
            "summary": "Refused with 403: paths with onDemand: false always run", "operationId": "postGo2rtcPreload",
            "responses": {"default": {"$ref": "#/components/responses/Problem"}}
           },
           "patch": {
            "summary": "Refused with 403: paths with onDemand: false always run", "operationId": "patchGo2rtcPreload",
            "responses": {"default": {"$ref": "#/components/responses/Problem"}}
           },
           "delete": {
            "summary": "Refused with 403: paths with onDemand: false always run", "operationId": "deleteGo2rtcPreload",
            "responses": {"default": {"$ref": "#/components/responses/Problem"}}
           }
          },
          "/api/frame.jpeg": {
           "get": {
            "summary": "The newest frame of a stream, as go2rtc names it", "operationId": "go2rtcFrame",
            "responses": {
             "200": {"$ref": "#/components/responses/Snapshot"}, "304": {"description": "The client has it already"},
             "default": {"$ref": "#/components/responses/Problem"}
            },
            "parameters": [{"$ref": "#/components/parameters/src"}, {"$ref": "#/components/parameters/width"}]
           }
          },
          "/api/stream.mp4": {
           "get": {
            "summary": "An endless MP4 file of a stream, as go2rtc names it", "operationId": "go2rtcFile",
            "responses": {
             "200": {"description": "The type has the codecs", "content": {"video/mp4": {"schema": {"type": "string"}}}},
             "default": {"$ref": "#/components/responses/Problem"}
            },
            "parameters": [
             {"$ref": "#/components/parameters/src"},
             {
              "name": "duration", "in": "query", "required": false, "description": "Seconds after which the file ends",
              "schema": {"type": "integer", "minimum": 1, "maximum": 86400}
             },
             {"name": "video", "in": "query", "description": "0 for no video", "schema": {"enum": ["0", "1"]}},
             {"name": "audio", "in": "query", "description": "0 for no audio", "schema": {"enum": ["0", "1"]}}
            ]
           }
          },
          "/api/streams": {
           "get": {
            "summary": "The streams that the client may watch, in the form of go2rtc", "operationId": "go2rtcStreams",
            "responses": {
             "200": {"description": "By name; with src, one", "content": {"application/json": {"schema": {"type": "object"}}}},
             "304": {"description": "The client has it already"},
             "default": {"$ref": "#/components/responses/Problem"}
            },
            "parameters": [
             {
              "name": "src", "in": "query", "required": false, "description": "Only the stream with this name",
              "schema": {"type": "string"}
             }
            ]
           },
           "put": {
            "summary": "Refused with 403: streams are in the configuration file", "operationId": "putGo2rtcStreams",
            "responses": {"default": {"$ref": "#/components/responses/Problem"}}
           },
           "post": {
            "summary": "Refused with 403: streams are in the configuration file", "operationId": "postGo2rtcStreams",
            "responses": {"default": {"$ref": "#/components/responses/Problem"}}
           },
           "patch": {
            "summary": "Refused with 403: streams are in the configuration file", "operationId": "patchGo2rtcStreams",
            "responses": {"default": {"$ref": "#/components/responses/Problem"}}
           },
           "delete": {
            "summary": "Refused with 403: streams are in the configuration file", "operationId": "deleteGo2rtcStreams",
            "responses": {"default": {"$ref": "#/components/responses/Problem"}}
           }
          }
        """#
}
