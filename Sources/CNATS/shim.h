#include <nats/nats.h>
#include <stdlib.h>
#include <string.h>

// A message as it lies in the library's memory, until natsMsg_Destroy(owner).
struct locwatch_nats_message {
  natsMsg *owner;
  const unsigned char *subject;
  size_t subject_size;
  const unsigned char *reply;
  size_t reply_size;
  const unsigned char *data;
  size_t size;
  int status;  // of a message of the server's about a request, as 408; 0 where it is none
};

// Connects to the first of the servers that answers; at most 16, with commas between them. The library connects again, for ever, when a connection breaks. With is_secure it never speaks to a server in the clear; the files are PEM, NULL for none.
static inline natsStatus locwatch_nats_connect(natsConnection **connection, const char *servers, const char *name,
                                               const char *credentials, int is_secure, const char *authority,
                                               const char *certificate, const char *key) {
  enum { most = 16 };
  natsOptions *options = NULL;
  const char *list[most];
  int count = 0;
  char *text = strdup(servers), *rest = text, *server;
  if (!text) return NATS_NO_MEMORY;
  while (count < most && (server = strtok_r(rest, ", ", &rest))) list[count++] = server;
  natsStatus status = natsOptions_Create(&options);
  if (status == NATS_OK) status = natsOptions_SetServers(options, list, count);
  if (status == NATS_OK) status = natsOptions_SetName(options, name);
  if (status == NATS_OK) status = natsOptions_SetMaxReconnect(options, -1);
  if (status == NATS_OK) status = natsOptions_SetReconnectWait(options, 200);
  if (status == NATS_OK) status = natsOptions_SetPingInterval(options, 5000);
  if (status == NATS_OK) status = natsOptions_SetMaxPendingMsgs(options, 1 << 20);
  if (status == NATS_OK && credentials) status = natsOptions_SetUserCredentialsFromFiles(options, credentials, NULL);
  if (status == NATS_OK && is_secure) status = natsOptions_SetSecure(options, true);
  if (status == NATS_OK && authority) status = natsOptions_LoadCATrustedCertificates(options, authority);
  if (status == NATS_OK && certificate)
    status = natsOptions_LoadCertificatesChain(options, certificate, key ? key : certificate);
  if (status == NATS_OK) status = natsConnection_Connect(connection, options);
  natsOptions_Destroy(options);
  free(text);
  return status;
}

// Publishes a message; NULL for each header that it has not.
static inline natsStatus locwatch_nats_publish(natsConnection *connection, const char *subject, const char *reply,
                                               const char *id, const char *expected, const char *reason,
                                               const char *bytes, const void *data, size_t size) {
  if (!id && !expected && !reason && !bytes)
    return reply ? natsConnection_PublishRequest(connection, subject, reply, data, (int)size)
                 : natsConnection_Publish(connection, subject, data, (int)size);
  natsMsg *message = NULL;
  natsStatus status = natsMsg_Create(&message, subject, reply, (const char *)data, (int)size);
  if (status == NATS_OK && id) status = natsMsgHeader_Set(message, "Nats-Msg-Id", id);
  if (status == NATS_OK && expected)
    status = natsMsgHeader_Set(message, "Nats-Expected-Last-Subject-Sequence", expected);
  if (status == NATS_OK && reason) status = natsMsgHeader_Set(message, "Locwatch-Reason", reason);
  if (status == NATS_OK && bytes) status = natsMsgHeader_Set(message, "Locwatch-Bytes", bytes);
  if (status == NATS_OK) status = natsConnection_PublishMsg(connection, message);
  natsMsg_Destroy(message);
  return status;
}

// Waits for the next message of a subscription, so many milliseconds; not at all with 0.
static inline natsStatus locwatch_nats_next(natsSubscription *subscription, long milliseconds,
                                            struct locwatch_nats_message *message) {
  memset(message, 0, sizeof *message);
  natsStatus status = natsSubscription_NextMsg(&message->owner, subscription, milliseconds);
  if (status != NATS_OK) return status;
  message->subject = (const unsigned char *)natsMsg_GetSubject(message->owner);
  message->subject_size = message->subject ? strlen((const char *)message->subject) : 0;
  message->reply = (const unsigned char *)natsMsg_GetReply(message->owner);
  message->reply_size = message->reply ? strlen((const char *)message->reply) : 0;
  message->data = (const unsigned char *)natsMsg_GetData(message->owner);
  message->size = (size_t)natsMsg_GetDataLength(message->owner);
  const char *text = NULL;
  if (message->size == 0 && natsMsgHeader_Get(message->owner, "Status", &text) == NATS_OK && text)
    message->status = atoi(text);
  return NATS_OK;
}

// A header of a message; NULL where it has none of that name.
static inline const char *locwatch_nats_header(natsMsg *message, const char *name) {
  const char *text = NULL;
  return natsMsgHeader_Get(message, name, &text) == NATS_OK ? text : NULL;
}
