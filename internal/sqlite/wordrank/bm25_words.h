#include "sqlite3-binding.h"

/* Registers bm25_words on a connection; has the form of an extension's entry point. */
int bm25_words_init(sqlite3 *db, char **message, const struct sqlite3_api_routines *api);
