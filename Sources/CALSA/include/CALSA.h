// The ALSA library (1.1 and newer), and what of it Swift cannot see.
#ifndef CALSA_H
#define CALSA_H

#include <alsa/asoundlib.h>

// Keeps the library from writing to standard error: what it has to say comes back as error codes too. Process-wide.
void calsa_quiet(void);

#endif
