import Streams

/// The one of `names` that `word` probably means: a synonym, or else the name with the nearest spelling; `nil` if there is none.
///
/// - Parameter innerNames: names one level below, such as `video.width`. One of them is suggested if its last part is `word`, or a
///   synonym, and no name of this level fits.
func suggestion(for word: String, among names: [String], orBelow innerNames: [String] = []) -> String? {
    // Text from outside may be long; no name is.
    guard word.utf8.count <= 64 else { return nil }
    let meanings = synonyms[word.lowercased().filter { $0.isLetter || $0.isNumber }] ?? []
    if let name = meanings.first(where: names.contains) { return name }
    if let name = nearestName(to: word, among: names) { return name }
    return ([word] + meanings).lazy.compactMap { meaning in
        innerNames.first { $0.lowercased().hasSuffix(".\(meaning.lowercased())") }
    }.first
}

/// What users write for keys and values that are called otherwise here, in lower case and without hyphens and underscores.
///
/// A word may stand for options of several sections. The section decides which of them is suggested.
private let synonyms: [String: [String]] = [
    // Keys of video and audio
    "fps": ["frameRate"], "rate": ["frameRate", "sampleRate"], "framespersec": ["frameRate"],
    "bps": ["bitrate"], "kbps": ["bitrate"], "mbps": ["bitrate"], "bandwidth": ["bitrate"], "quality": ["bitrate"],
    "size": ["width", "overlaySize"], "resolution": ["width"], "dimensions": ["width"], "w": ["width"], "h": ["height"],
    "gop": ["gopMilliseconds"], "keyint": ["gopMilliseconds"], "keyframeinterval": ["gopMilliseconds"],
    "keyframes": ["gopMilliseconds", "timestamps"], "idr": ["gopMilliseconds"],
    "codec": ["encoder"], "hwaccel": ["encoder"], "aspect": ["fit"], "scale": ["fit"], "speed": ["preset"],
    "slices": ["threads"], "cores": ["threads"], "cpus": ["threads"], "workers": ["threads"],
    "sound": ["audio", "enabled"], "mute": ["enabled"], "microphone": ["device", "audio"], "mic": ["device", "audio"],
    "hz": ["sampleRate"], "frequency": ["sampleRate"], "mono": ["channels"], "stereo": ["channels"],
    "picture": ["video"], "image": ["video"], "encoding": ["video"], "pixelformat": ["format"],
    // Keys of paths
    "url": ["source"], "uri": ["source"], "input": ["source"], "file": ["source"], "device": ["source"],
    "name": ["title"], "label": ["title"], "repeat": ["loop"], "once": ["loop"],
    "stream": ["paths", "source"], "streams": ["paths"], "cameras": ["paths"], "cams": ["paths"],
    // Keys of effects, and values of `overlay`
    "flip": ["mirror", "rotate"], "hflip": ["mirror"], "vflip": ["rotate"], "turn": ["rotate"], "transpose": ["rotate"],
    "mask": ["privacyMasks"], "masks": ["privacyMasks"], "privacy": ["privacyMasks"],
    "text": ["overlay", "title"], "watermark": ["overlay"], "osd": ["overlay"], "clock": ["overlay"],
    "time": ["clock", "overlay"], "date": ["clock", "overlay"], "datetime": ["clock", "overlay"],
    "timestamp": ["clock", "timestamps"], "timecode": ["clock", "timestamps"], "barcode": ["machineTimestamp"],
    "qrcode": ["machineTimestamp"], "code": ["machineTimestamp"], "all": ["both", "all"],
    "position": ["overlayCorner"], "corner": ["overlayCorner"], "fontsize": ["overlaySize"],
    // Keys of the server
    "host": ["address", "server"], "ip": ["address"], "bind": ["address"], "listen": ["address", "server"],
    "rtspport": ["port"], "timeout": ["sessionTimeoutSeconds"], "ssl": ["tls"], "rtsps": ["tls"],
    "cert": ["certificate"], "privatekey": ["key"], "password": ["users"], "auth": ["users"], "user": ["users"],
    "login": ["users"], "whitelist": ["allow"], "allowlist": ["allow"], "blacklist": ["deny"], "denylist": ["deny"],
    "public": ["open"], "anonymous": ["open"], "webhook": ["httpCallback"], "authhttpaddress": ["httpCallback"],
    "mtu": ["maximumPacketBytes"], "packetsize": ["maximumPacketBytes"], "ports": ["firstUDPPort"],
    "udpports": ["firstUDPPort"], "ttl": ["timeToLive"], "logging": ["log"], "loglevel": ["log", "level"],
    "verbose": ["debug", "level"], "maxviewers": ["viewers"], "clients": ["viewers"], "maxclients": ["viewers"],
    "gopcache": ["join"], "faststart": ["join"],
    // Values
    "true": ["always", "optional"], "yes": ["always", "optional"], "on": ["always", "optional"],
    "false": ["off", "none", "no"], "disabled": ["off", "none", "no"], "never": ["off", "none", "no"],
    "ondemand": ["onRequest"], "gopburst": ["fastStart"], "cache": ["fastStart"], "required": ["strict"],
]
