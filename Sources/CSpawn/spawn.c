#define _GNU_SOURCE
#include "CSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
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

// linux/sched.h and linux/wait.h, whose releases differ from the kernel's.
#define INTO_CGROUP 0x200000000ULL
#define WITH_PIDFD 0x00001000ULL
#define BY_PIDFD 3

extern char **environ;

// struct clone_args of Linux 5.7, where cgroup was added.
struct arguments {
  uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid, set_tid_size, cgroup;
};

struct trouble {
  int stage, error;
};

static void give_up(int gate, int stage) {
  struct trouble trouble = {stage, errno};
  send(gate, &trouble, sizeof trouble, MSG_NOSIGNAL);
  _exit(127);
}

// A descriptor above the standard three, so that none of them overwrites it.
static int moved_up(int descriptor) {
  if (descriptor > 2) return descriptor;
  int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  return moved;
}

// The limit of descriptors that programs get: what ours was before it was raised; all zero where it was not.
static struct rlimit descriptors;

void locwatch_raise_descriptors(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
  struct rlimit before = limit;
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) == 0) descriptors = before;
}

// Lowers a limit for good; 0 leaves it as it is.
static int lower(int resource, unsigned long long most) {
  struct rlimit limit;
  if (most == 0) return 0;
  if (getrlimit(resource, &limit) != 0) return -1;
  if (most > limit.rlim_max) most = limit.rlim_max;
  limit.rlim_cur = limit.rlim_max = most;
  return setrlimit(resource, &limit);
}

// In the child: takes on the limits, then the user. The number of tasks counts for the user, so it comes last.
static int confine(const struct locwatch_program *program) {
  if (lower(RLIMIT_NOFILE, program->files_max) != 0 || lower(RLIMIT_DATA, program->memory_max) != 0) return -1;
  if (program->is_other) {
    // By the system calls: the C library's own ask the other threads, of which there are none here.
    if (syscall(SYS_setgroups, program->group_count, program->groups) != 0) return -1;
    if (syscall(SYS_setresgid, program->group, program->group, program->group) != 0) return -1;
    if (syscall(SYS_setresuid, program->user, program->user, program->user) != 0) return -1;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  }
  return lower(RLIMIT_NPROC, program->tasks_max);
}

// In the child, up to exec: async-signal-safe calls only.
static void become(const struct locwatch_program *program, int gate, int must_join) {
  if (must_join) {
    int members = openat(program->cgroup, "cgroup.procs", O_WRONLY | O_CLOEXEC);
    if (members < 0 || write(members, "0", 1) != 1) give_up(gate, LOCWATCH_STAGE_CGROUP);
    close(members);
  }
  // Another user's program gets a session of its own, without our terminal: it could type there (ioctl_tty(2), TIOCSTI).
  if ((program->is_other ? setsid() : setpgid(0, 0)) < 0) give_up(gate, LOCWATCH_STAGE_FORK);
  // By the system call: the C library does not let go of two signals of its own. All zero is SIG_DFL everywhere.
  static const uint64_t initial[8];
  for (int number = 1; number <= 64; number += 1) syscall(SYS_rt_sigaction, number, initial, NULL, 8);

  int input = moved_up(program->input);
  int output = program->output < 0 ? STDERR_FILENO : moved_up(program->output);
  int error = program->error < 0 ? STDERR_FILENO : moved_up(program->error);
  // Above the places where they belong, so that none of them overwrites another.
  const int given[] = {program->channel, program->folders[0], program->folders[1]};
  enum { GIVEN = sizeof given / sizeof given[0] };
  int copies[GIVEN];
  for (int place = 0; place < GIVEN; place += 1) {
    copies[place] = given[place] < 0 ? -1 : fcntl(given[place], F_DUPFD_CLOEXEC, LOCWATCH_CHANNEL + GIVEN);
    if (given[place] >= 0 && copies[place] < 0) give_up(gate, LOCWATCH_STAGE_FORK);
  }
  if (input < 0 || output < 0 || error < 0 || dup2(input, STDIN_FILENO) < 0 || dup2(error, STDERR_FILENO) < 0 ||
      dup2(output, STDOUT_FILENO) < 0)
    give_up(gate, LOCWATCH_STAGE_FORK);
  // All others but the gate, at once: the starter's end of it, of which no copy may live on, and whatever some library
  // opened without O_CLOEXEC. Where the kernel lacks the call (before 5.9), exec closes ours all the same.
  int last = STDERR_FILENO + 1;
  if (gate != last) {
    if (dup3(gate, last, O_CLOEXEC) < 0) give_up(gate, LOCWATCH_STAGE_FORK);
    close(gate);
  }
  for (int place = 0; place < GIVEN; place += 1) {
    if (copies[place] < 0)
      close(LOCWATCH_CHANNEL + place);
    else if (dup2(copies[place], LOCWATCH_CHANNEL + place) < 0)
      give_up(last, LOCWATCH_STAGE_FORK);
  }
  syscall(SYS_close_range, (unsigned)(LOCWATCH_CHANNEL + GIVEN), ~0U, 0U);

  // Until it is let go. Where the starter has died before, the gate has no other end and this was all.
  char word;
  ssize_t count;
  do count = recv(last, &word, 1, 0);
  while (count < 0 && errno == EINTR);
  if (count != 1) _exit(127);

  // A program that uses select(2) can't use more (select(2), FD_SETSIZE).
  if (descriptors.rlim_max > 0) setrlimit(RLIMIT_NOFILE, &descriptors);
  if (confine(program) != 0) give_up(last, LOCWATCH_STAGE_USER);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execvpe(program->argv[0], program->argv, program->envp);
  give_up(last, LOCWATCH_STAGE_EXEC);
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

static void end(struct locwatch_held *held) {
  kill(held->pid, SIGKILL);
  if (held->pidfd >= 0) close(held->pidfd);
  close(held->gate);
  while (waitpid(held->pid, NULL, 0) < 0 && errno == EINTR) {
  }
}

int locwatch_hold(const struct locwatch_program *program, struct locwatch_held *held, int *stage) {
  int ends[2];
  *stage = LOCWATCH_STAGE_FORK;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return errno;
  int theirs = moved_up(ends[1]);
  if (theirs != ends[1]) close(ends[1]);
  if (theirs < 0) {
    int error = errno;
    close(ends[0]);
    return error;
  }

  // No handler of ours may run in the child before it has its own.
  sigset_t every, before;
  sigfillset(&every);
  pthread_sigmask(SIG_SETMASK, &every, &before);
  int must_join;
  pid_t child = divide(program, &held->pidfd, &must_join);
  if (child == 0) {
    close(ends[0]);
    become(program, theirs, must_join);
  }
  int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(theirs);
  if (child < 0) {
    close(ends[0]);
    return error;
  }
  held->pid = child;
  held->gate = ends[0];
  if (held->pidfd < 0) held->pidfd = (int)syscall(SYS_pidfd_open, child, 0U);
  if (held->pidfd >= 0) return 0;
  error = errno;
  end(held);
  return error;
}

int locwatch_release(struct locwatch_held *held, int milliseconds, int *stage) {
  struct trouble trouble = {0, 0};
  struct pollfd answer = {held->gate, POLLIN, 0};
  int ready;
  ssize_t count;
  // Where it has given up already there is nobody to take the word, but what it said is there.
  send(held->gate, "", 1, MSG_NOSIGNAL);
  do ready = poll(&answer, 1, milliseconds);
  while (ready < 0 && errno == EINTR);
  if (ready == 0) return 0;
  do count = recv(held->gate, &trouble, sizeof trouble, MSG_WAITALL);
  while (count < 0 && errno == EINTR);
  if (count == sizeof trouble) {
    end(held);
    *stage = trouble.stage;
    return trouble.error;
  }
  close(held->gate);
  held->gate = -1;
  return 0;
}

int locwatch_outcome(int gate, int *stage) {
  struct trouble trouble;
  if (recv(gate, &trouble, sizeof trouble, MSG_DONTWAIT) != sizeof trouble) return 0;
  *stage = trouble.stage;
  return trouble.error;
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

int locwatch_channel(int ends[2]) {
  return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0 ? 0 : errno;
}

ssize_t locwatch_receive(int socket, void *buffer, size_t size, int *descriptor) {
  union {
    char bytes[CMSG_SPACE(4 * sizeof(int))];
    struct cmsghdr header;
  } control;
  struct iovec part = {buffer, size};
  struct msghdr message;
  memset(&message, 0, sizeof message);
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  *descriptor = -1;
  ssize_t count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (count < 0) return -1;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    size_t found = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t place = 0; place < found; place += 1) {
      int passed;
      memcpy(&passed, CMSG_DATA(header) + place * sizeof(int), sizeof(int));
      if (*descriptor < 0)
        *descriptor = passed;
      else
        close(passed);
    }
  }
  return count;
}

ssize_t locwatch_send(int socket, const void *buffer, size_t size, int descriptor) {
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr header;
  } control;
  struct iovec part = {(void *)buffer, size};
  struct msghdr message;
  memset(&message, 0, sizeof message);
  memset(&control, 0, sizeof control);
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
  return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

char **locwatch_environment(void) { return environ; }
