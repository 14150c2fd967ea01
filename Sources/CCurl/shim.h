#include <curl/curl.h>
#include <string.h>

#include "transfer.h"

// curl_easy_setopt and curl_easy_getinfo are variadic, which Swift can't call.

// How a request ended.
struct locwatch_answer {
  int code;          // a CURLcode; with a status it may tell of the answer's body alone
  long status;       // of HTTP; 0 where no answer came
  long retry_after;  // seconds; 0 where the answer has no Retry-After
  long os_error;     // errno of the last attempt to connect
  long verdict;      // of OpenSSL on the other side's certificate (openssl/x509_vfy.h)
  long proxy_status; // of HTTP: what a proxy answered that was to connect us; 0 where none was asked
};

// What curl tells of a connection in its log alone.
struct locwatch_heard {
  int alert;       // the last of the other side's TLS (RFC 8446, section 6); 0 for none
  char proxy[16];  // the variable of the environment that names the proxy; empty for none
};

// The offset behind a mark in a text; the text's length where it is not in it.
static inline size_t locwatch_curl_find(const char *text, size_t count, const char *mark) {
  const size_t length = strlen(mark);
  for (size_t at = 0; at + length < count; at++)
    if (memcmp(text + at, mark, length) == 0) return at + length;
  return count;
}

// Takes a line of curl's log. The code of an error does not say which side's TLS has refused the other, and its text is
// that of the first of several errors.
static inline int locwatch_curl_hear(CURL *curl, curl_infotype type, char *text, size_t count, void *context) {
  struct locwatch_heard *heard = (struct locwatch_heard *)context;
  int number = 0;
  (void)curl;
  if (type != CURLINFO_TEXT) return 0;
  // As in "Uses proxy env variable https_proxy == 'http://proxy:3128'"; no_proxy is told before it, and names none.
  size_t at = locwatch_curl_find(text, count, "Uses proxy env variable ");
  if (at < count && text[at] != 'n' && text[at] != 'N') {
    size_t length = 0;
    while (at < count && text[at] != ' ' && length + 1 < sizeof heard->proxy) heard->proxy[length++] = text[at++];
    heard->proxy[length] = 0;
    return 0;
  }
  // As in "TLSv1.3 (IN), TLS alert, unknown CA (560):", where 560 is the level, times 256, and the number.
  at = locwatch_curl_find(text, count, "(IN), TLS alert, ");
  if (at >= count) return 0;
  while (at < count && text[at] != '(') at++;
  for (at++; at < count && text[at] >= '0' && text[at] <= '9' && number <= 0xFFFF; at++)
    number = number * 10 + text[at] - '0';
  heard->alert = number & 0xFF;
  return 0;
}

// Has curl's log of a connection heard.
static inline void locwatch_curl_listen(CURL *curl, struct locwatch_heard *heard) {
  memset(heard, 0, sizeof *heard);
  curl_easy_setopt(curl, CURLOPT_VERBOSE, 1L);
  curl_easy_setopt(curl, CURLOPT_DEBUGFUNCTION, locwatch_curl_hear);
  curl_easy_setopt(curl, CURLOPT_DEBUGDATA, heard);
}

// The variable of the environment that names the proxy; empty for none.
static inline const char *locwatch_curl_proxy(const struct locwatch_heard *heard) { return heard->proxy; }

// Takes an answer's body and forgets it, up to a budget of bytes: beyond that the connection is closed.
static inline size_t locwatch_curl_discard(char *data, size_t size, size_t count, void *budget) {
  size_t *left = (size_t *)budget, bytes = size * count;
  (void)data;
  if (bytes > *left) return 0;
  *left -= bytes;
  return bytes;
}

// authority, certificate and key: what the other side has to prove, and what we prove to it, as paths of PEM files; NULL
// where there is none.
static inline void locwatch_curl_prepare(CURL *curl, const char *url, const char *authority, const char *certificate,
                                         const char *key, long connect_seconds) {
  curl_easy_reset(curl);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_URL, url);
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, connect_seconds);
  if (authority) curl_easy_setopt(curl, CURLOPT_CAINFO, authority);
  if (certificate) curl_easy_setopt(curl, CURLOPT_SSLCERT, certificate);
  if (key) curl_easy_setopt(curl, CURLOPT_SSLKEY, key);
  // Otherwise OpenSSL asks for a pass phrase: at the terminal, or else from standard input, where the events come.
  curl_easy_setopt(curl, CURLOPT_KEYPASSWD, "");
}

// Sends one POST and waits for its answer; redirections are not followed.
//
// is_near: whether it goes to this machine. headers: one a line.
static inline struct locwatch_answer locwatch_curl_post(
    CURL *curl, const char *url, int is_near, const char *headers, const unsigned char *body, long length,
    const char *user, const char *password, const char *authority, const char *certificate, const char *key,
    long seconds, struct locwatch_heard *heard) {
  struct locwatch_answer answer = {CURLE_OUT_OF_MEMORY, 0, 0, 0, 0, 0};
  struct curl_slist *list = NULL;
  if (!locwatch_curl_append(&list, headers)) {
    curl_slist_free_all(list);
    return answer;
  }
  size_t budget = 1 << 20;
  locwatch_curl_prepare(curl, url, authority, certificate, key, seconds);
  if (is_near) locwatch_curl_avoid_proxy(curl);
  locwatch_curl_listen(curl, heard);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, seconds);
  curl_easy_setopt(curl, CURLOPT_POST, 1L);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, length);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, (const char *)body);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, list);
  if (user) curl_easy_setopt(curl, CURLOPT_USERNAME, user);
  if (password) curl_easy_setopt(curl, CURLOPT_PASSWORD, password);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, locwatch_curl_discard);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &budget);
  answer.code = curl_easy_perform(curl);
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer.status);
  curl_easy_getinfo(curl, CURLINFO_OS_ERRNO, &answer.os_error);
  curl_easy_getinfo(curl, CURLINFO_SSL_VERIFYRESULT, &answer.verdict);
  curl_easy_getinfo(curl, CURLINFO_HTTP_CONNECTCODE, &answer.proxy_status);
  answer.retry_after = locwatch_retry_after(curl);
  curl_easy_reset(curl);
  curl_slist_free_all(list);
  return answer;
}

// Connects without sending anything: curl_easy_send and curl_easy_recv then carry bytes, through TLS for https.
static inline struct locwatch_answer locwatch_curl_connect(
    CURL *curl, const char *url, const char *authority, const char *certificate, const char *key, long seconds,
    int *socket, struct locwatch_heard *heard) {
  struct locwatch_answer answer = {0, 0, 0, 0, 0, 0};
  curl_socket_t number = CURL_SOCKET_BAD;
  locwatch_curl_prepare(curl, url, authority, certificate, key, seconds);
  // A proxy of HTTP would take our first bytes for a request.
  locwatch_curl_avoid_proxy(curl);
  locwatch_curl_listen(curl, heard);
  curl_easy_setopt(curl, CURLOPT_CONNECT_ONLY, 1L);
  // The other side speaks no HTTP.
  curl_easy_setopt(curl, CURLOPT_SSL_ENABLE_ALPN, 0L);
  answer.code = curl_easy_perform(curl);
  curl_easy_getinfo(curl, CURLINFO_OS_ERRNO, &answer.os_error);
  curl_easy_getinfo(curl, CURLINFO_SSL_VERIFYRESULT, &answer.verdict);
  if (answer.code == 0) curl_easy_getinfo(curl, CURLINFO_ACTIVESOCKET, &number);
  *socket = (int)number;
  return answer;
}
