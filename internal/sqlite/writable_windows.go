package sqlite

// writable leaves it to SQLite to find out, which makes no files beside one that
// it cannot write here.
func writable(string) error { return nil }
