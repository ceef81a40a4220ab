import Glibc

/// Returns the descriptor of an empty, unlinked file, which the caller must close. It replaces memory that drivers share.
public func anonymousFile() -> CInt {
    var name = Array("/tmp/apus-XXXXXX".utf8CString)
    let descriptor = mkstemp(&name)
    precondition(descriptor >= 0, "the temporary folder must be writable")
    unlink(name)
    return descriptor
}
