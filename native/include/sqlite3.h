/* sqlite-vec asks for the system's header; this gives it the one of the SQLite that go-sqlite3 compiles in. */
#ifndef SQLITE_OF_SQLITE_VEC
#define SQLITE_OF_SQLITE_VEC

#include "sqlite3-binding.h"

/* sqlite-vec 0.1.6 clears the bindings of a statement that it could not prepare, which there is none of: an interrupt at the
   wrong moment, or a missing shadow table, ended the program. */
static inline int clear_bindings_if_any(sqlite3_stmt *statement) {
  return statement ? sqlite3_clear_bindings(statement) : SQLITE_OK;
}
#define sqlite3_clear_bindings clear_bindings_if_any

/* Only sqlite-vec includes this header, so these settings reach its loops alone. On SQLite itself they would undo the
   compensation in SUM() and make it wrong. Distances take a quarter of the time, and NaN stays NaN. */
#if defined(__clang__)
#pragma clang fp reassociate(on)
#elif defined(__GNUC__)
#pragma GCC optimize("O3", "associative-math", "no-signed-zeros", "no-trapping-math", "no-math-errno")
/* The two that searches spend their time in, once more for AVX2; the program takes what the processor has when it starts. */
#if defined(__x86_64__) && defined(__gnu_linux__)
#define WITH_AVX2 __attribute__((target_clones("avx2", "default")))
static WITH_AVX2 float l2_sqr_int8(const void *, const void *, const void *);
static WITH_AVX2 float distance_cosine_float(const void *, const void *, const void *);
#endif
#endif

#endif
