// Starts a program, with functions of posix_spawn(3) that Swift's Glibc module does not export.
#ifndef CSPAWN_H
#define CSPAWN_H

#include <sys/types.h>

/// Starts `arguments[0]`, found in PATH, with files as its standard streams, no other open descriptor, and each signal at its default.
///
/// - Parameters:
///   - process: Receives the process ID. The caller must wait for the process.
///   - arguments: Ends with a null pointer.
///   - directory: The program's current directory; a null pointer for that of this process.
/// - Returns: 0 or an errno, such as ENOENT if there is no such program.
int spawn_program(
    pid_t *process, char *const *arguments, const char *input, const char *output, const char *errors,
    const char *directory);

#endif
