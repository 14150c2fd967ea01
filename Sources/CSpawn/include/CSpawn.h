// What Swift can't do: start a program in a cgroup, and wait for one by its pidfd.
//
// Between fork and exec only async-signal-safe calls are allowed (fork(2)), which Swift code can't promise;
// posix_spawn has no cgroup before glibc 2.39 (here: 2.36) and no musl. Nothing else belongs here.
#ifndef LOCWATCH_CSPAWN_H
#define LOCWATCH_CSPAWN_H

#include <sys/types.h>

// What is to be started. Nothing is kept of it.
struct locwatch_program {
  char *const *argv;  // ends with NULL; the first is looked for in PATH where it has no slash
  char *const *envp;  // ends with NULL
  int input;          // becomes standard input
  int output;         // becomes standard output; -1: goes where standard error goes
  int error;          // becomes standard error; -1: stays what it is here
  int channel;        // becomes descriptor LOCWATCH_CHANNEL; -1: none
  int folders[2];     // open directories that become descriptors LOCWATCH_FOLDERS and the next; -1: none
  int cgroup;         // an open directory in cgroup v2 to start in; -1: none

  int is_other;            // whether it runs as another user, without new privileges
  uid_t user;              // that user
  gid_t group;             // and group
  const gid_t *groups;     // further groups
  size_t group_count;      // how many
  unsigned long long memory_max;  // bytes of private memory of each process (RLIMIT_DATA); 0: as ours
  unsigned long long tasks_max;   // processes and threads of the user (RLIMIT_NPROC); 0: as ours
  unsigned long long files_max;   // open descriptors (RLIMIT_NOFILE); 0: as ours
};

// The descriptor by which a program passes others (unix(7), SCM_RIGHTS).
enum { LOCWATCH_CHANNEL = 4 };

// Where the directories begin that a program may use without a way to them of its own.
enum { LOCWATCH_FOLDERS = 5 };

// Where a start failed.
enum locwatch_stage { LOCWATCH_STAGE_FORK = 1, LOCWATCH_STAGE_CGROUP = 2, LOCWATCH_STAGE_EXEC = 3, LOCWATCH_STAGE_USER = 4 };

// A process that is there, but is not the program yet.
struct locwatch_held {
  pid_t pid;  // also the number of its process group
  int pidfd;
  int gate;  // when its last copy is closed, as by the death of the starter, the process ends
};

// Makes the process of a program, which waits before exec: as the leader of a new process group, in its cgroup from
// the start, with no signal blocked or ignored and no descriptor but the three, the channel and the folders. 0, or an errno with the stage.
int locwatch_hold(const struct locwatch_program *program, struct locwatch_held *held, int *stage);

// Lets it go, and waits at most so many milliseconds, or for ever with -1, until the program was executed. An errno with
// the stage: it was not, and the process is gone. 0 and a gate of -1: it was. 0 and an open gate: neither so far.
int locwatch_release(struct locwatch_held *held, int milliseconds, int *stage);

// What came of a program whose gate was left open, once its process has ended: an errno with the stage where it was not
// executed, or 0.
int locwatch_outcome(int gate, int *stage);

// Reaps a child that has ended: 1 with its exit status (128 and the signal's number where one ended it) and the
// processor seconds that it and the children it waited for took. 0 while it runs, -1 where it is no child of ours.
int locwatch_wait(int pidfd, int *status, double *core_seconds);

// Raises the limit of open descriptors of this process to its hard limit. Programs that are started afterwards get the
// limit that was. Call it once, before any other thread starts programs.
void locwatch_raise_descriptors(void);

// A pipe that no started program inherits; 0 or an errno.
int locwatch_pipe(int ends[2]);

// Two ends of a channel that keeps messages apart and carries descriptors, which no started program inherits; 0 or an
// errno.
int locwatch_channel(int ends[2]);

// Receives what waits at a socket, without waiting: how many bytes, 0 at the end, -1 with errno. The first descriptor
// that came along is in *descriptor, -1 where none did; further ones are closed.
ssize_t locwatch_receive(int socket, void *buffer, size_t size, int *descriptor);

// Sends bytes with a descriptor over a socket, without waiting: how many bytes, -1 with errno.
ssize_t locwatch_send(int socket, const void *buffer, size_t size, int descriptor);

// The environment of this process, as it is now.
char **locwatch_environment(void);

#endif
