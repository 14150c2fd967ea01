// A resident subscriber that notes when it was started and when it was handed each event, and acknowledges it.
//
//   subscriber LOG
//
// Each line of LOG is `start 0 NANOSECONDS` or `event ID NANOSECONDS`, on the monotonic clock.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static FILE *out;

static void note(const char *what, long id) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  fprintf(out, "%s %ld %lld\n", what, id, (long long)now.tv_sec * 1000000000 + now.tv_nsec);
  fflush(out);
}

int main(int count, char **arguments) {
  if (count != 2 || !(out = fopen(arguments[1], "a"))) return 64;
  note("start", 0);
  static char line[65536];
  setvbuf(stdin, NULL, _IOLBF, sizeof line);
  while (fgets(line, sizeof line, stdin)) {
    const char *id = strstr(line, "\"id\":");
    if (!id) continue;
    long event = strtol(id + 5, NULL, 10);
    note("event", event);
    printf("{\"ack\":%ld}\n", event);
    fflush(stdout);
  }
  return 0;
}
