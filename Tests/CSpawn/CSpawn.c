#define _GNU_SOURCE
#include "CSpawn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

static int add_actions(
    posix_spawn_file_actions_t *actions, const char *input, const char *output, const char *errors,
    const char *directory) {
    const int created = O_WRONLY | O_CREAT | O_TRUNC;
    int error = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, input, O_RDONLY, 0);
    if (!error) error = posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, output, created, 0600);
    if (!error) error = posix_spawn_file_actions_addopen(actions, STDERR_FILENO, errors, created, 0600);
    if (!error) error = posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
    if (!error && directory) error = posix_spawn_file_actions_addchdir_np(actions, directory);
    return error;
}

// A signal that this process ignores or blocks would stay ignored or blocked in a new program.
static int reset_signals(posix_spawnattr_t *attributes) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawnattr_setsigmask(attributes, &none);
    if (!error) error = posix_spawnattr_setsigdefault(attributes, &all);
    if (!error) error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    return error;
}

int spawn_program(
    pid_t *process, char *const *arguments, const char *input, const char *output, const char *errors,
    const char *directory) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    int error = add_actions(&actions, input, output, errors, directory);
    if (!error) error = reset_signals(&attributes);
    if (!error) error = posix_spawnp(process, arguments[0], &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}
