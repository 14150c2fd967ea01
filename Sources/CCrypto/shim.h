#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/core_names.h>
