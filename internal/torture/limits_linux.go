package torture

import (
	"fmt"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// mountSmallDisk mounts a disk of that many bytes, in memory.
func mountSmallDisk(folder string, size int) (unmount func() error, err error) {
	if err := unix.Mount("tmpfs", folder, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
		return nil, err
	}
	// Also while something still uses it, if only until the end of that.
	return func() error { return unix.Unmount(folder, unix.MNT_DETACH) }, nil
}

// makeReadOnly forbids writing to a disk that is mounted.
func makeReadOnly(folder string) error {
	return unix.Mount("", folder, "", unix.MS_REMOUNT|unix.MS_RDONLY, "")
}

// freeBytes is how much room is on the disk of a folder.
func freeBytes(folder string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * s.Bsize, nil
}

// unlimited is no limit on the size of files.
const unlimited = unix.RLIM_INFINITY

// limitFileSize limits how large files may become by what a process writes.
func limitFileSize(pid int, size uint64) error {
	limit := unix.Rlimit{Cur: size, Max: unix.RLIM_INFINITY}
	return unix.Prlimit(pid, unix.RLIMIT_FSIZE, &limit, nil)
}

// runAs has a command run as another user.
func runAs(cmd *exec.Cmd, user uint32) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
}
