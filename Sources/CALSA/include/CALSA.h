// The ALSA library (1.1 and newer), with functions for the parts that Swift does not import.
#ifndef CALSA_H
#define CALSA_H

#include <alsa/asoundlib.h>

// Stops the library from writing to standard error; its messages are also returned as error codes. Process-wide.
void calsa_quiet(void);

#endif
