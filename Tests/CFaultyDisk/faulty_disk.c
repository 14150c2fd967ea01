#include "CFaultyDisk.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum {
  // What a disk writes whole or not at all, bytes.
  SECTOR = 512,
  // Pieces of the index of a log that SQLite may ask for.
  REGIONS = 16,
};

// A write since the last sync, and what was there before.
typedef struct Change {
  sqlite3_int64 offset;
  sqlite3_int64 size_before;
  int bytes;
  int old_bytes;
  unsigned char *old;
} Change;

// A file, in memory.
typedef struct File {
  struct File *next;
  struct Disk *disk;
  char *path;
  int exists;
  unsigned char *bytes;
  sqlite3_int64 size, room;
  // What was not synced.
  Change *changes;
  size_t change_count, change_room;
  // The index of a log, which processes share and no disk keeps.
  void *regions[REGIONS];
} File;

// A folder.
typedef struct Disk {
  struct Disk *next;
  char *folder;
  // By how much its files may grow; negative: by any number.
  sqlite3_int64 room;
  // Writes until it takes none; negative: any number.
  sqlite3_int64 writes;
  int open_files;
  int is_forgotten;
  File *files;
} Disk;

// What SQLite knows of an open file.
typedef struct Open {
  sqlite3_file base;
  File *file;
} Open;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static Disk *disks;
static sqlite3_vfs *real;
static sqlite3_vfs faulty;
static sqlite3_io_methods methods;

static void forget_changes(File *file) {
  for (size_t i = 0; i < file->change_count; i++) free(file->changes[i].old);
  file->change_count = 0;
}

// Call with the lock held.
static void drop_if_unused(Disk *disk) {
  if (!disk->is_forgotten || disk->open_files > 0) return;
  for (Disk **place = &disks; *place; place = &(*place)->next) {
    if (*place != disk) continue;
    *place = disk->next;
    break;
  }
  while (disk->files) {
    File *file = disk->files;
    disk->files = file->next;
    forget_changes(file);
    for (int i = 0; i < REGIONS; i++) free(file->regions[i]);
    free(file->changes);
    free(file->bytes);
    free(file->path);
    free(file);
  }
  free(disk->folder);
  free(disk);
}

// Call with the lock held.
static Disk *disk_of(const char *folder, size_t length) {
  for (Disk *disk = disks; disk; disk = disk->next)
    if (!disk->is_forgotten && strlen(disk->folder) == length && !memcmp(disk->folder, folder, length)) return disk;
  Disk *disk = calloc(1, sizeof *disk);
  disk->folder = strndup(folder, length);
  disk->room = disk->writes = -1;
  disk->next = disks;
  disks = disk;
  return disk;
}

static Disk *named_disk(const char *folder) {
  pthread_mutex_lock(&lock);
  Disk *disk = disk_of(folder, strlen(folder));
  pthread_mutex_unlock(&lock);
  return disk;
}

// The length of the path's folder if that is a disk of ours; 0 if not.
static size_t faulty_folder(const char *path) {
  const char *end = strrchr(path, '/');
  if (!end) return 0;
  const char *begin = end;
  while (begin > path && begin[-1] != '/') begin--;
  return strncmp(begin, "faulty-", 7) ? 0 : (size_t)(end - path);
}

// A file of ours, there or not; NULL if it is another's.
static File *file_of(const char *path) {
  size_t length = faulty_folder(path);
  if (length == 0) return NULL;
  pthread_mutex_lock(&lock);
  Disk *disk = disk_of(path, length);
  File *file = disk->files;
  while (file && strcmp(file->path, path)) file = file->next;
  if (!file) {
    file = calloc(1, sizeof *file);
    file->disk = disk;
    file->path = strdup(path);
    file->next = disk->files;
    disk->files = file;
  }
  pthread_mutex_unlock(&lock);
  return file;
}

// Makes room for so many bytes.
static void make_room(File *file, sqlite3_int64 bytes) {
  if (bytes <= file->room) return;
  sqlite3_int64 room = 2 * bytes;
  file->bytes = realloc(file->bytes, (size_t)room);
  memset(file->bytes + file->room, 0, (size_t)(room - file->room));
  file->room = room;
}

// Remembers what lies where something is about to be written, or cut off.
static void note(File *file, sqlite3_int64 offset, int bytes, sqlite3_int64 old_end) {
  if (file->change_count == file->change_room) {
    file->change_room = file->change_room ? 2 * file->change_room : 64;
    file->changes = realloc(file->changes, file->change_room * sizeof *file->changes);
  }
  sqlite3_int64 old = (old_end < file->size ? old_end : file->size) - offset;
  Change *change = &file->changes[file->change_count++];
  *change = (Change){offset, file->size, bytes, old > 0 ? (int)old : 0, NULL};
  if (old <= 0) return;
  change->old = malloc((size_t)old);
  memcpy(change->old, file->bytes + offset, (size_t)old);
}

// MARK: - Files

static int close_file(sqlite3_file *base) {
  Disk *disk = ((Open *)base)->file->disk;
  pthread_mutex_lock(&lock);
  disk->open_files--;
  drop_if_unused(disk);
  pthread_mutex_unlock(&lock);
  return SQLITE_OK;
}

static int read_file(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
  File *file = ((Open *)base)->file;
  sqlite3_int64 there = file->size - offset;
  if (there >= count) {
    memcpy(bytes, file->bytes + offset, (size_t)count);
    return SQLITE_OK;
  }
  if (there < 0) there = 0;
  if (there > 0) memcpy(bytes, file->bytes + offset, (size_t)there);
  memset((char *)bytes + there, 0, (size_t)(count - there));
  return SQLITE_IOERR_SHORT_READ;
}

static int write_file(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
  File *file = ((Open *)base)->file;
  Disk *disk = file->disk;
  if (disk->writes == 0) return SQLITE_IOERR_WRITE;
  if (disk->writes > 0) disk->writes--;
  sqlite3_int64 growth = offset + count - file->size;
  if (growth > 0 && disk->room >= 0) {
    if (growth > disk->room) return SQLITE_FULL;
    disk->room -= growth;
  }
  note(file, offset, count, offset + count);
  make_room(file, offset + count);
  memcpy(file->bytes + offset, bytes, (size_t)count);
  if (growth > 0) file->size += growth;
  return SQLITE_OK;
}

static int truncate_file(sqlite3_file *base, sqlite3_int64 size) {
  File *file = ((Open *)base)->file;
  if (file->disk->writes == 0) return SQLITE_IOERR_TRUNCATE;
  if (size >= file->size) return SQLITE_OK;
  note(file, size, 0, file->size);
  if (file->disk->room >= 0) file->disk->room += file->size - size;
  memset(file->bytes + size, 0, (size_t)(file->size - size));
  file->size = size;
  return SQLITE_OK;
}

static int sync_file(sqlite3_file *base, int flags) {
  (void)flags;
  File *file = ((Open *)base)->file;
  if (file->disk->writes == 0) return SQLITE_IOERR_FSYNC;
  forget_changes(file);
  return SQLITE_OK;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
  *size = ((Open *)base)->file->size;
  return SQLITE_OK;
}

// One connection uses a file at a time: there is nothing to lock.
static int lock_file(sqlite3_file *base, int level) { return (void)base, (void)level, SQLITE_OK; }

static int is_reserved(sqlite3_file *base, int *answer) { return (void)base, *answer = 0, SQLITE_OK; }

static int control_file(sqlite3_file *base, int what, void *argument) {
  return (void)base, (void)what, (void)argument, SQLITE_NOTFOUND;
}

static int sector_size(sqlite3_file *base) { return (void)base, SECTOR; }

// As the file system of Linux says: a write changes nothing beside it.
static int characteristics(sqlite3_file *base) { return (void)base, SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

static int map_shared(sqlite3_file *base, int region, int bytes, int extend, void volatile **memory) {
  File *file = ((Open *)base)->file;
  *memory = NULL;
  if (region >= REGIONS) return SQLITE_IOERR_SHMMAP;
  if (!file->regions[region] && extend) file->regions[region] = calloc(1, (size_t)bytes);
  *memory = file->regions[region];
  return SQLITE_OK;
}

static int lock_shared(sqlite3_file *base, int offset, int count, int flags) {
  return (void)base, (void)offset, (void)count, (void)flags, SQLITE_OK;
}

static void barrier(sqlite3_file *base) { (void)base; }

static int unmap_shared(sqlite3_file *base, int remove) { return (void)base, (void)remove, SQLITE_OK; }

static int open_file(sqlite3_vfs *vfs, sqlite3_filename path, sqlite3_file *base, int flags, int *out) {
  (void)vfs;
  File *file = path ? file_of(path) : NULL;
  // Other files are the real file system's.
  if (!file) return real->xOpen(real, path, base, flags, out);
  base->pMethods = NULL;
  if (!file->exists) {
    if (!(flags & SQLITE_OPEN_CREATE) || file->disk->writes == 0) return SQLITE_CANTOPEN;
    file->exists = 1;
  }
  pthread_mutex_lock(&lock);
  file->disk->open_files++;
  pthread_mutex_unlock(&lock);
  ((Open *)base)->file = file;
  base->pMethods = &methods;
  if (out) *out = flags;
  return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *vfs, const char *path, int sync) {
  (void)vfs;
  File *file = file_of(path);
  if (!file) return real->xDelete(real, path, sync);
  if (file->disk->writes == 0) return SQLITE_IOERR_DELETE;
  forget_changes(file);
  file->exists = 0;
  file->size = 0;
  return SQLITE_OK;
}

static int access_file(sqlite3_vfs *vfs, const char *path, int flags, int *answer) {
  (void)vfs;
  File *file = file_of(path);
  if (!file) return real->xAccess(real, path, flags, answer);
  *answer = file->exists && (flags != SQLITE_ACCESS_EXISTS || file->size > 0);
  return SQLITE_OK;
}

static int full_path(sqlite3_vfs *vfs, const char *path, int count, char *out) {
  (void)vfs;
  return real->xFullPathname(real, path, count, out);
}

static void install(void) {
  real = sqlite3_vfs_find(NULL);
  faulty = *real;
  faulty.zName = "faulty";
  faulty.pNext = NULL;
  if (faulty.szOsFile < (int)sizeof(Open)) faulty.szOsFile = sizeof(Open);
  faulty.xOpen = open_file;
  faulty.xDelete = delete_file;
  faulty.xAccess = access_file;
  faulty.xFullPathname = full_path;
  methods = (sqlite3_io_methods){
    .iVersion = 2, .xClose = close_file, .xRead = read_file, .xWrite = write_file, .xTruncate = truncate_file,
    .xSync = sync_file, .xFileSize = file_size, .xLock = lock_file, .xUnlock = lock_file,
    .xCheckReservedLock = is_reserved, .xFileControl = control_file, .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics, .xShmMap = map_shared, .xShmLock = lock_shared,
    .xShmBarrier = barrier, .xShmUnmap = unmap_shared,
  };
  sqlite3_vfs_register(&faulty, 1);
}

void faulty_disk_install(void) { pthread_once(&once, install); }

void faulty_disk_put(const char *path, const void *bytes, int64_t count) {
  File *file = file_of(path);
  if (!file) return;
  make_room(file, count);
  memcpy(file->bytes, bytes, (size_t)count);
  file->size = count;
  file->exists = 1;
}

void faulty_disk_limit(const char *folder, int64_t bytes) { named_disk(folder)->room = bytes; }

void faulty_disk_stop(const char *folder, int64_t writes) { named_disk(folder)->writes = writes; }

int faulty_disk_stopped(const char *folder) { return named_disk(folder)->writes == 0; }

void faulty_disk_forget(const char *folder) {
  Disk *disk = named_disk(folder);
  pthread_mutex_lock(&lock);
  disk->is_forgotten = 1;
  drop_if_unused(disk);
  pthread_mutex_unlock(&lock);
}

// MARK: - A loss of power

// SplitMix64, as SeededRandom.
static uint64_t draw(uint64_t *state) {
  uint64_t z = *state += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

// Takes back one write, or some sectors of it. A sector that was behind the end of the file becomes zeros.
static void take_back(File *file, const Change *change, int is_whole, uint64_t *random) {
  sqlite3_int64 end = change->offset + (change->bytes > change->old_bytes ? change->bytes : change->old_bytes);
  make_room(file, end);
  for (sqlite3_int64 begin = change->offset; begin < end;) {
    sqlite3_int64 next = begin - begin % SECTOR + SECTOR;
    if (next > end) next = end;
    if (is_whole || draw(random) & 1) {
      for (sqlite3_int64 i = begin; i < next; i++) {
        sqlite3_int64 place = i - change->offset;
        file->bytes[i] = place < change->old_bytes ? change->old[place] : 0;
      }
    }
    begin = next;
  }
  if (is_whole || change->size_before > file->size) file->size = change->size_before;
}

// Leaves of what was not synced: nothing, all, the first writes, or any sectors.
static void lose(File *left, const File *file, uint64_t seed) {
  size_t kept = 0;
  int is_whole = 1;
  switch (draw(&seed) % 4) {
    case 0: break;
    case 1: kept = file->change_count; break;
    case 2: kept = draw(&seed) % (file->change_count + 1); break;
    default: is_whole = 0;
  }
  for (size_t i = file->change_count; i > kept; i--) take_back(left, &file->changes[i - 1], is_whole, &seed);
}

void faulty_disk_copy(const char *path, const char *copy, uint64_t seed) {
  File *file = file_of(path);
  if (!file || !file->exists) return;
  faulty_disk_put(copy, file->bytes, file->size);
  if (seed != 0) lose(file_of(copy), file, seed);
}
