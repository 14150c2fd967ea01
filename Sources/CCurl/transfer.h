// What a transfer of a file needs: callbacks that write to a descriptor, and options. A few words of C, because Swift
// can't call variadic functions, and because nothing is to be copied on the way from the socket to the file.

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/prctl.h>
#include <unistd.h>

// One transfer, as its callbacks see it.
struct locwatch_file {
  int fd;               // the file that is written or read
  int folder;           // where the note of a file that comes is, open
  char note[32];        // the name of that note, by which the file is gone on with
  long long begin;      // where the bytes begin that are asked for; 0 for all
  long long count;      // bytes of the file that are there, or were sent
  long long limit;      // bytes that it may have; of one that is sent, those that the request announces
  long long room;       // bytes of a file that comes for which its disks have room
  long long total;      // bytes that the whole has, where the server says so; -1
  long long whole;      // the same of what is gone on with, as it was said before; -1
  long long first;      // where the bytes begin that come, as Content-Range says; -1
  long long discarded;  // bytes of an answer that is no file
  int status;           // of the last answer
  int decided;          // whether it is known where the bytes that come belong
  int error;            // errno of what ended it; 0
  char validator[256];  // a strong ETag; empty where there is none
  char standing[256];   // the one of what is gone on with
};

// Has no proxy used, whatever the environment names (http_proxy, all_proxy): it would read what goes to this machine, and
// what is not encrypted.
static inline void locwatch_curl_avoid_proxy(CURL *curl) { curl_easy_setopt(curl, CURLOPT_PROXY, ""); }

// Nobody but root may trace this process or take its descriptors; 0, or -1.
static inline int locwatch_keep_untraced(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

static inline int locwatch_is_header(const char *line, size_t length, const char *name) {
  size_t count = strlen(name);
  return length > count && strncasecmp(line, name, count) == 0 && line[count] == ':';
}

// Takes one line of an answer's head. A further answer, as after a redirection, begins anew.
static inline size_t locwatch_file_header(char *line, size_t size, size_t count, void *data) {
  struct locwatch_file *file = (struct locwatch_file *)data;
  size_t length = size * count;
  char text[512];
  size_t kept = length < sizeof text - 1 ? length : sizeof text - 1;
  memcpy(text, line, kept);
  text[kept] = 0;
  while (kept > 0 && (text[kept - 1] == '\r' || text[kept - 1] == '\n' || text[kept - 1] == ' ')) text[--kept] = 0;
  if (strncmp(text, "HTTP/", 5) == 0) {
    const char *space = strchr(text, ' ');
    file->status = space ? atoi(space) : 0;
    file->decided = 0;
    file->first = -1;
    file->total = -1;
    file->validator[0] = 0;
  } else if (locwatch_is_header(text, kept, "etag")) {
    const char *value = text + 5;
    while (*value == ' ' || *value == '\t') value++;
    // A weak one, W/"...", does not say that the bytes are the same (RFC 9110, 8.8.1).
    if (*value == '"' && strlen(value) < sizeof file->validator) strcpy(file->validator, value);
  } else if (file->status == 200 && locwatch_is_header(text, kept, "content-length")) {
    file->total = atoll(text + 15);
  } else if (locwatch_is_header(text, kept, "content-range")) {
    const char *value = strstr(text, "bytes");
    const char *slash = strchr(text, '/');
    if (value && value[5] == ' ' && value[6] != '*') file->first = atoll(value + 6);
    if (slash && slash[1] != '*') file->total = atoll(slash + 1);
  }
  return length;
}

// Whether an answer is of another file than the one that is gone on with. Not every server heeds If-Range.
static inline int locwatch_file_is_other(const struct locwatch_file *file) {
  if (file->whole >= 0 && file->total >= 0 && file->total != file->whole) return 1;
  // That there is no such range may be said without naming the file (RFC 9110, 15.5.17).
  if (file->status == 416 && !file->validator[0]) return 0;
  return strcmp(file->validator, file->standing) != 0;
}

// Has the file begin with the bytes that come; 0, or -1. What is noted of those before must be gone first, from the disk
// as well: they can't be gone on with.
static inline int locwatch_file_begin(struct locwatch_file *file) {
  if (unlinkat(file->folder, file->note, 0) == 0) {
    // The folder itself may be open for its name alone (O_PATH).
    int folder = openat(file->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int code = folder < 0 || fsync(folder) != 0 ? errno : 0;
    if (folder >= 0) close(folder);
    errno = code;
    if (code != 0) return -1;
  } else if (errno != ENOENT) {
    return -1;
  }
  return ftruncate(file->fd, 0);
}

// Takes a piece of an answer's body: of a file it is written where it belongs.
static inline size_t locwatch_file_write(char *bytes, size_t size, size_t count, void *data) {
  struct locwatch_file *file = (struct locwatch_file *)data;
  size_t length = size * count, written = 0;
  if (file->status != 200 && file->status != 206) {
    file->discarded += length;
    return file->discarded > (1 << 20) ? 0 : length;
  }
  if (!file->decided) {
    long long at = 0;
    if (file->status == 206) {
      if (file->first != file->begin || (file->begin > 0 && locwatch_file_is_other(file))) {
        file->error = EPROTO;
        return 0;
      }
      at = file->begin;
    }
    int cut = at > 0 ? ftruncate(file->fd, at) : locwatch_file_begin(file);
    if (cut != 0 || lseek(file->fd, at, SEEK_SET) != at) {
      file->error = errno;
      return 0;
    }
    file->count = at;
    file->decided = 1;
  }
  // A server that says how long the file is need not send what is too long: the first byte is refused.
  if (file->total > file->limit || file->count + (long long)length > file->limit) {
    file->error = EFBIG;
    return 0;
  }
  if (file->total > file->room) {
    file->error = ENOSPC;
    return 0;
  }
  while (written < length) {
    ssize_t done = write(file->fd, bytes + written, length - written);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      file->error = done < 0 ? errno : EIO;
      return 0;
    }
    written += done;
    file->count += done;
  }
  return length;
}

// Gives a piece of the file that is sent: no more in all than Content-Length says, also of a file that has grown
// meanwhile. What follows on the connection is the next request.
static inline size_t locwatch_file_read(char *bytes, size_t size, size_t count, void *data) {
  struct locwatch_file *file = (struct locwatch_file *)data;
  size_t length = size * count;
  long long left = file->limit - file->count;
  ssize_t done;
  if (left < (long long)length) length = left;
  do done = read(file->fd, bytes, length);
  while (done < 0 && errno == EINTR);
  if (done < 0) {
    file->error = errno;
    return CURL_READFUNC_ABORT;
  }
  file->count += done;
  return done;
}

// Where a piece of an answer to an upload goes.
static inline size_t locwatch_file_discard(char *bytes, size_t size, size_t count, void *data) {
  struct locwatch_file *file = (struct locwatch_file *)data;
  (void)bytes;
  file->discarded += size * count;
  return file->discarded > (1 << 20) ? 0 : size * count;
}

// Appends headers, one a line, to a list; 0 where memory is short. Whatever it says, the list is freed by its owner.
static inline int locwatch_curl_append(struct curl_slist **list, const char *headers) {
  for (const char *start = headers; *start;) {
    size_t count = strcspn(start, "\n");
    char *line = strndup(start, count);
    struct curl_slist *longer = line ? curl_slist_append(*list, line) : NULL;
    free(line);
    if (!longer) return 0;
    *list = longer;
    start += count + (start[count] == '\n');
  }
  return 1;
}

// Prepares a transfer: redirections are the caller's to follow.
//
// is_near: whether it goes to this machine; only there it may go without TLS.
// note: the name of what is noted of a file that comes. headers: one a line; validator: of what is gone on with; it, user,
// password, authority: NULL where there is none.
// stall_rate: bytes a second; a request that carries fewer for stall_seconds ends.
// list: is given what must live as long as the transfer and be freed by curl_slist_free_all.
static inline int locwatch_file_prepare(
    CURL *curl, struct locwatch_file *file, const char *url, const char *note, const char *headers,
    const char *validator, const char *user, const char *password, const char *authority, int is_upload, int is_near,
    long connect_seconds, long stall_rate, long stall_seconds, struct curl_slist **list) {
  curl_easy_reset(curl);
  snprintf(file->note, sizeof file->note, "%s", note);
  if (validator) snprintf(file->standing, sizeof file->standing, "%s", validator);
  *list = NULL;
  if (!locwatch_curl_append(list, headers)) return CURLE_OUT_OF_MEMORY;
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_PRIVATE, file);
  curl_easy_setopt(curl, CURLOPT_URL, url);
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, is_near ? "http,https" : "https");
  if (is_near) locwatch_curl_avoid_proxy(curl);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, connect_seconds);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, stall_rate);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, stall_seconds);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, *list);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, locwatch_file_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, file);
  if (user) curl_easy_setopt(curl, CURLOPT_USERNAME, user);
  if (password) curl_easy_setopt(curl, CURLOPT_PASSWORD, password);
  if (authority) curl_easy_setopt(curl, CURLOPT_CAINFO, authority);
  if (is_upload) {
    curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE, (curl_off_t)file->limit);
    curl_easy_setopt(curl, CURLOPT_READFUNCTION, locwatch_file_read);
    curl_easy_setopt(curl, CURLOPT_READDATA, file);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, locwatch_file_discard);
  } else {
    if (file->begin > 0) {
      char range[32];
      snprintf(range, sizeof range, "%lld-", file->begin);
      curl_easy_setopt(curl, CURLOPT_RANGE, range);
    }
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, locwatch_file_write);
  }
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, file);
  return CURLE_OK;
}

static inline int locwatch_is_same(const char *one, const char *other) {
  return strcmp(one ? one : "", other ? other : "") == 0;
}

// Where an answer redirects to, to be freed; NULL where it does not. In one that is relative curl has put the login that
// it was given, which is no part of an address.
static inline char *locwatch_file_redirection(CURL *curl, const char *user, const char *password) {
  char *location = NULL, *plain = NULL, *its_user = NULL, *its_password = NULL;
  curl_easy_getinfo(curl, CURLINFO_REDIRECT_URL, &location);
  if (!location) return NULL;
  CURLU *parts = curl_url();
  if (parts && curl_url_set(parts, CURLUPART_URL, location, CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK) {
    curl_url_get(parts, CURLUPART_USER, &its_user, CURLU_URLDECODE);
    curl_url_get(parts, CURLUPART_PASSWORD, &its_password, CURLU_URLDECODE);
    if (locwatch_is_same(its_user, user) && locwatch_is_same(its_password, password)) {
      curl_url_set(parts, CURLUPART_USER, NULL, 0);
      curl_url_set(parts, CURLUPART_PASSWORD, NULL, 0);
    }
    curl_url_get(parts, CURLUPART_URL, &plain, 0);
  }
  char *copy = strdup(plain ? plain : location);
  curl_free(its_user);
  curl_free(its_password);
  curl_free(plain);
  curl_url_cleanup(parts);
  return copy;
}

// The seconds of an answer's Retry-After; 0 where it has none. Curl says 0 also of a number that is too large for it.
static inline long locwatch_retry_after(CURL *curl) {
  curl_off_t seconds = 0;
  struct curl_header *header = NULL;
  curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &seconds);
  if (seconds != 0 || curl_easy_header(curl, "Retry-After", 0, CURLH_HEADER, -1, &header) != CURLHE_OK)
    return (long)seconds;
  const char *digits = header->value + strspn(header->value, "0");
  size_t count = strspn(digits, "0123456789");
  return count >= 19 && digits[count] == 0 ? LONG_MAX : 0;
}

// The transfer that has ended, if any has, and its CURLcode.
static inline CURL *locwatch_multi_ended(CURLM *multi, int *code) {
  int left;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left)) != NULL) {
    if (message->msg != CURLMSG_DONE) continue;
    *code = message->data.result;
    return message->easy_handle;
  }
  return NULL;
}
