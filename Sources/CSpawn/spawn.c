#define _GNU_SOURCE
#include "CSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// The numbers of these calls are the same on every architecture (asm-generic/unistd.h).
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_clone3
#define SYS_clone3 435
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

// linux/sched.h, linux/close_range.h and linux/wait.h, whose releases differ from the kernel's.
#define INTO_CGROUP 0x200000000ULL
#define WITH_PIDFD 0x00001000ULL
#define RANGE_CLOEXEC 4U
#define BY_PIDFD 3

extern char **environ;

// struct clone_args of Linux 5.7, where cgroup was added.
struct arguments {
  uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid, set_tid_size, cgroup;
};

struct trouble {
  int stage, error;
};

static void give_up(int report, int stage) {
  struct trouble trouble = {stage, errno};
  ssize_t ignored = write(report, &trouble, sizeof trouble);
  (void)ignored;
  _exit(127);
}

// A descriptor above the standard three, so that none of them overwrites it.
static int moved_up(int descriptor) {
  if (descriptor > 2) return descriptor;
  int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  return moved;
}

// In the child, up to exec: async-signal-safe calls only.
static void become(const struct locwatch_program *program, int report, int must_join) {
  if (must_join) {
    int members = openat(program->cgroup, "cgroup.procs", O_WRONLY | O_CLOEXEC);
    if (members < 0 || write(members, "0", 1) != 1) give_up(report, LOCWATCH_STAGE_CGROUP);
    close(members);
  }
  if (setpgid(0, 0) != 0) give_up(report, LOCWATCH_STAGE_FORK);
  // By the system call: the C library does not let go of two signals of its own. All zero is SIG_DFL everywhere.
  static const uint64_t initial[8];
  for (int number = 1; number <= 64; number += 1) syscall(SYS_rt_sigaction, number, initial, NULL, 8);

  int input = moved_up(program->input);
  int output = program->output < 0 ? STDERR_FILENO : moved_up(program->output);
  if (input < 0 || output < 0 || dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0)
    give_up(report, LOCWATCH_STAGE_FORK);
  // Whatever some library opened without O_CLOEXEC. Where the kernel lacks it (before 5.11), ours are closed all the same.
  syscall(SYS_close_range, 3U, ~0U, RANGE_CLOEXEC);

  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execvpe(program->argv[0], program->argv, program->envp);
  give_up(report, LOCWATCH_STAGE_EXEC);
}

// Forks into the cgroup; where the kernel or a sandbox does not let us, forks and has the child join it.
static pid_t divide(const struct locwatch_program *program, int *pidfd, int *must_join) {
  *must_join = 0;
  *pidfd = -1;
  if (program->cgroup >= 0) {
    int descriptor = -1;
    struct arguments arguments;
    memset(&arguments, 0, sizeof arguments);
    arguments.flags = INTO_CGROUP | WITH_PIDFD;
    arguments.pidfd = (uint64_t)(uintptr_t)&descriptor;
    arguments.exit_signal = SIGCHLD;
    arguments.cgroup = (uint64_t)program->cgroup;
    pid_t pid = (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
    if (pid > 0) *pidfd = descriptor;
    if (pid >= 0) return pid;
    *must_join = 1;
  }
  return fork();
}

int locwatch_spawn(const struct locwatch_program *program, pid_t *pid, int *pidfd, int *stage) {
  int ends[2];
  *stage = LOCWATCH_STAGE_FORK;
  int error = locwatch_pipe(ends);
  if (error) return error;
  int report = moved_up(ends[1]);
  if (report != ends[1]) close(ends[1]);

  // No handler of ours may run in the child before it has its own.
  sigset_t every, before;
  sigfillset(&every);
  pthread_sigmask(SIG_SETMASK, &every, &before);
  int must_join;
  pid_t child = divide(program, pidfd, &must_join);
  if (child == 0) become(program, report, must_join);
  error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(report);
  if (child < 0) {
    close(ends[0]);
    return error;
  }

  struct trouble trouble = {0, 0};
  ssize_t count;
  do count = read(ends[0], &trouble, sizeof trouble);
  while (count < 0 && errno == EINTR);
  close(ends[0]);
  if (count == sizeof trouble) {
    if (*pidfd >= 0) close(*pidfd);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    *stage = trouble.stage;
    return trouble.error;
  }
  if (*pidfd < 0) *pidfd = (int)syscall(SYS_pidfd_open, child, 0U);
  if (*pidfd < 0) {
    error = errno;
    kill(-child, SIGKILL);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    return error;
  }
  *pid = child;
  return 0;
}

int locwatch_wait(int pidfd, int *status, double *core_seconds) {
  siginfo_t info;
  struct rusage usage;
  memset(&info, 0, sizeof info);
  memset(&usage, 0, sizeof usage);
  long result;
  do result = syscall(SYS_waitid, BY_PIDFD, pidfd, &info, WEXITED | WNOHANG, &usage);
  while (result < 0 && errno == EINTR);
  if (result < 0) return -1;
  if (info.si_pid == 0) return 0;
  *status = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
  *core_seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                  (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  return 1;
}

int locwatch_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno; }

char **locwatch_environment(void) { return environ; }
