package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// remoteSystems are file systems on which another computer may hold the file, or
// on which locks are not what they seem.
var remoteSystems = map[uint32]string{
	unix.NFS_SUPER_MAGIC:  "a network file system (NFS)",
	unix.SMB_SUPER_MAGIC:  "a network file system (SMB)",
	unix.CIFS_SUPER_MAGIC: "a network file system (CIFS)",
	unix.SMB2_SUPER_MAGIC: "a network file system (SMB)",
	unix.AFS_SUPER_MAGIC:  "a network file system (AFS)",
	unix.CODA_SUPER_MAGIC: "a network file system (Coda)",
	unix.CEPH_SUPER_MAGIC: "a network file system (Ceph)",
	unix.V9FS_MAGIC:       "a folder of another system (9p)",
	unix.FUSE_SUPER_MAGIC: "a file system of a program (FUSE)",
	0x786f4256:            "a folder of another system (VirtualBox)",
	0x0bd00bd0:            "a network file system (Lustre)",
	0x01161970:            "a cluster file system (GFS2)",
	0x7461636f:            "a cluster file system (OCFS2)",
}

// localSystems are those worth a name.
var localSystems = map[uint32]string{
	unix.EXT4_SUPER_MAGIC:      "ext4",
	unix.XFS_SUPER_MAGIC:       "XFS",
	unix.BTRFS_SUPER_MAGIC:     "Btrfs",
	unix.F2FS_SUPER_MAGIC:      "F2FS",
	unix.OVERLAYFS_SUPER_MAGIC: "an overlay",
	unix.TMPFS_MAGIC:           "memory (tmpfs): gone when the computer restarts",
	0x2fc12fc1:                 "ZFS",
}

// fileSystemOf says on what a file lies.
func fileSystemOf(path string) (kind string, remote, known bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return "", false, false
	}
	kind, remote = fileSystemName(uint32(s.Type))
	return kind, remote, true
}

func fileSystemName(magic uint32) (kind string, remote bool) {
	if kind, ok := remoteSystems[magic]; ok {
		return kind, true
	}
	if kind, ok := localSystems[magic]; ok {
		return kind, false
	}
	return fmt.Sprintf("local (%#x)", magic), false
}

// usersOf lists the other processes that have a file open, of those whose files
// we may see.
func usersOf(path string) (users []string, looked bool) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, false
	}
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil || len(processes) == 0 {
		return nil, false
	}
	slices.SortFunc(processes, func(a, b string) int { return len(a) - len(b) })
	for _, process := range processes {
		pid := filepath.Base(process)
		if pid != strconv.Itoa(os.Getpid()) && hasOpen(process, path) {
			command, _ := os.ReadFile(filepath.Join(process, "comm"))
			users = append(users, fmt.Sprintf("%s (%s)", strings.TrimSpace(string(command)), pid))
		}
	}
	return users, true
}

func hasOpen(process, path string) bool {
	files, _ := os.ReadDir(filepath.Join(process, "fd"))
	for _, f := range files {
		if target, err := os.Readlink(filepath.Join(process, "fd", f.Name())); err == nil && target == path {
			return true
		}
	}
	return false
}
