// C headers only: they compile in a moment.
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static void escaped(const char *what) { printf("ESCAPED: %s\n", what); fflush(stdout); }
static void held() { printf("held\n"); fflush(stdout); }
