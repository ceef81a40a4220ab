// TUN devices: virtual network interfaces whose packets a process reads and writes.
#pragma once

/// Opens the TUN device `name` of the caller's network namespace, without blocking; returns the descriptor, or -1 with errno.
/// Each read returns one IP packet, and each write sends one. The kernel splits larger packets (GSO) before a read.
int ctun_open(const char *name);
