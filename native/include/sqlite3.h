/* sqlite-vec asks for the system's header; this gives it the one of the SQLite that go-sqlite3 compiles in. */
#include "sqlite3-binding.h"
