#include "bm25_words.h"

#include <string.h>

/* The constants of FTS5's own bm25(). */
static const double K1 = 1.2;
static const double B = 0.75;

enum { MAX_WORDS = 256 };

/* One per phrase of the expression, in its order. */
typedef struct {
  double word;   /* number of the word, from 0 */
  double weight; /* its inverse document frequency */
} phrase_weight;

/* bm25_words(table, weights): the higher, the better. `weights` is a blob of
 * phrase_weight, in the machine's own byte order. To what holds all of the words, twice
 * the least upper bound is added, so that it comes first and can be told. */
static void bm25_words(const Fts5ExtensionApi *api, Fts5Context *fts, sqlite3_context *context,
                       int argc, sqlite3_value **argv) {
  double frequency[MAX_WORDS] = {0};
  double weight[MAX_WORDS] = {0};
  char wanted[MAX_WORDS] = {0};
  int phrases = api->xPhraseCount(fts);
  int words = 0;

  if (argc != 1 || sqlite3_value_type(argv[0]) != SQLITE_BLOB ||
      sqlite3_value_bytes(argv[0]) != phrases * (int)sizeof(phrase_weight)) {
    sqlite3_result_error(context, "bm25_words: takes a weight for every phrase", -1);
    return;
  }
  const char *given = sqlite3_value_blob(argv[0]);
  for (int i = 0; i < phrases; i++) {
    phrase_weight p;
    memcpy(&p, given + i * sizeof p, sizeof p);
    if (!(p.word >= 0 && p.word < MAX_WORDS)) {
      sqlite3_result_error(context, "bm25_words: too many words", -1);
      return;
    }
    int word = (int)p.word;
    weight[word] = p.weight;
    wanted[word] = 1;
    if (word >= words) words = word + 1;
  }

  sqlite3_int64 rows = 0, total = 0;
  int length = 0, instances = 0;
  int rc = api->xRowCount(fts, &rows);
  if (rc == SQLITE_OK) rc = api->xColumnTotalSize(fts, -1, &total);
  if (rc == SQLITE_OK) rc = api->xColumnSize(fts, -1, &length);
  if (rc == SQLITE_OK) rc = api->xInstCount(fts, &instances);
  for (int i = 0; rc == SQLITE_OK && i < instances; i++) {
    int phrase, column, offset;
    rc = api->xInst(fts, i, &phrase, &column, &offset);
    if (rc == SQLITE_OK) {
      phrase_weight p;
      memcpy(&p, given + phrase * sizeof p, sizeof p);
      frequency[(int)p.word] += 1;
    }
  }
  if (rc != SQLITE_OK) {
    sqlite3_result_error_code(context, rc);
    return;
  }

  double average = rows > 0 && total > 0 ? (double)total / (double)rows : 1;
  double norm = K1 * (1 - B + B * (double)length / average);
  double score = 0, bound = 0;
  int all = 1;
  for (int i = 0; i < words; i++) {
    score += weight[i] * frequency[i] * (K1 + 1) / (frequency[i] + norm);
    bound += weight[i] * (K1 + 1);
    if (wanted[i] && frequency[i] == 0) all = 0;
  }
  sqlite3_result_double(context, all ? score + 2 * bound : score);
}

/* The API of FTS5 is had by a query, as its documentation says. Like every first statement of a connection it may have to
 * wait for a lock. */
static int fts5_api_of(sqlite3 *db, fts5_api **api) {
  sqlite3_stmt *statement = 0;
  *api = 0;
  sqlite3_busy_timeout(db, 10000);
  int rc = sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &statement, 0);
  if (rc == SQLITE_OK) {
    sqlite3_bind_pointer(statement, 1, api, "fts5_api_ptr", 0);
    sqlite3_step(statement);
    rc = sqlite3_finalize(statement);
  }
  if (rc == SQLITE_OK && *api == 0) rc = SQLITE_ERROR;
  return rc;
}

int bm25_words_init(sqlite3 *db, char **message, const struct sqlite3_api_routines *unused) {
  (void)unused;
  if (!sqlite3_uri_boolean(sqlite3_db_filename(db, "main"), "bm25_words", 1)) return SQLITE_OK;
  sqlite3_busy_timeout(db, 10000); /* to ask for FTS5 reads the schema, and the driver sets its own only later */
  fts5_api *api = 0;
  int rc = fts5_api_of(db, &api);
  if (rc == SQLITE_OK) rc = api->xCreateFunction(api, "bm25_words", 0, bm25_words, 0);
  if (rc == SQLITE_CORRUPT || rc == SQLITE_NOTADB) return SQLITE_OK; /* whoever opened it will see for themselves */
  if (rc != SQLITE_OK) *message = sqlite3_mprintf("bm25_words: no FTS5 on this connection");
  return rc;
}
