package cli

// folderWritable reports why files cannot be made in a folder: what the rights
// there are like shows when it is tried.
func folderWritable(string) error { return nil }
