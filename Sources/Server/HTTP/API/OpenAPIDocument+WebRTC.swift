extension OpenAPIDocument {
    /// The resources of sessions of WebRTC, and the address of go2rtc at which they begin.
    static let webRTCPaths = #"""
        ,
          "/api/v1/webrtc/{id}": {
           "parameters": [
            {
             "name": "id", "in": "path", "required": true, "schema": {"type": "string"},
             "description": "The secret name of the session, from the Location of the response to its offer"
            }
           ],
           "get": {
            "summary": "Whether a session of WebRTC goes on; if it has ended, why", "operationId": "webrtcSession",
            "responses": {
             "204": {"description": "It goes on"}, "default": {"$ref": "#/components/responses/Problem"}
            }
           },
           "patch": {
            "summary": "Takes candidates of the client, which the server does not need", "operationId": "trickle",
            "responses": {
             "204": {"description": "They are valid"}, "412": {"$ref": "#/components/responses/Problem"},
             "422": {"$ref": "#/components/responses/Problem"}, "428": {"$ref": "#/components/responses/Problem"},
             "default": {"$ref": "#/components/responses/Problem"}
            },
            "requestBody": {
             "required": true,
             "content": {"application/trickle-ice-sdpfrag": {"schema": {"type": "string"}}}
            }
           },
           "delete": {
            "summary": "Ends a session of WebRTC", "operationId": "endWebrtcSession",
            "responses": {
             "200": {"description": "It has ended"}, "404": {"$ref": "#/components/responses/Problem"},
             "default": {"$ref": "#/components/responses/Problem"}
            }
           }
          },
          "/api/webrtc": {
           "post": {
            "summary": "Begins to play a stream (src) or to publish one (dst) over WebRTC, as go2rtc names it",
            "operationId": "go2rtcWebrtc",
            "responses": {
             "201": {
              "description": "The answer; Location is the address of the session",
              "content": {"application/sdp": {"schema": {"type": "string"}}}
             },
             "default": {"$ref": "#/components/responses/Problem"}
            },
            "parameters": [
             {
              "name": "src", "in": "query", "required": false,
              "description": "The path of a stream without its leading slash", "schema": {"type": "string"}
             },
             {
              "name": "dst", "in": "query", "required": false,
              "description": "The path to publish to, without its leading slash", "schema": {"type": "string"}
             }
            ],
            "requestBody": {
             "required": true, "content": {"application/sdp": {"schema": {"type": "string"}}}
            }
           }
          }
        """#
}
