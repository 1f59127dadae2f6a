package sqlite

// lockedByOthers leaves it to the system, where a file that is open cannot be
// replaced.
func lockedByOthers(string) bool { return false }
