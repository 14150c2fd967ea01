#ifndef CFAULTYDISK_H
#define CFAULTYDISK_H

#include <stdint.h>

/// A disk for tests that fails as it is told. It stands between SQLite and its files, keeps them in memory, and remembers
/// of each write what was there before until that is synced.
///
/// Only files in folders whose name begins with "faulty-" are on it. Each such folder is a disk of its own. One thread at
/// a time uses it, and one connection each of its files.

/// Puts it between SQLite and its files, once for the process.
void faulty_disk_install(void);

/// Puts a file there.
void faulty_disk_put(const char *path, const void *bytes, int64_t count);

/// Lets the files of a folder grow by so many bytes together; any number if negative.
void faulty_disk_limit(const char *folder, int64_t bytes);

/// Takes so many writes more, then none, as if the process had ended; any number if negative.
void faulty_disk_stop(const char *folder, int64_t writes);

/// Whether it takes no writes any more.
int faulty_disk_stopped(const char *folder);

/// Puts a file, if it is there, at another path of another disk: as it is, which is what a kill leaves, or as a loss of
/// power may leave it, which the seed chooses if it is not 0.
void faulty_disk_copy(const char *path, const char *copy, uint64_t seed);

/// Forgets a folder, whose files are closed or will be.
void faulty_disk_forget(const char *folder);

#endif
