/// Linux interfaces that Swift's Glibc module does not show: macros, unions, variadics and GNU extensions.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <time.h>
