package clients

import (
	"bytes"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Server is how a client starts a server.
type Server struct {
	Name    string
	Folder  string // the client starts it in this folder alone; "" is in all
	Command string
	Args    []string
	Env     map[string]string
	Off     bool // the client has it switched off
}

// Entry is where a server stands in a configuration file: its name, and the folder that
// it is for alone.
type Entry struct{ Name, Folder string }

// Entry is where the server stands.
func (s Server) Entry() Entry { return Entry{s.Name, s.Folder} }

// String names the entry to people.
func (e Entry) String() string {
	if e.Folder == "" {
		return e.Name
	}
	return e.Name + " (" + e.Folder + ")"
}

// same says whether both start the same.
func (s Server) same(other Server) bool {
	return s.Command == other.Command && slices.Equal(s.Args, other.Args)
}

// Kind is what a server is to us.
type Kind int

// Kinds of servers.
const (
	Foreign  Kind = iota // another server
	Ours                 // this program, in whatever place or version
	Official             // the reference memory server on Node.js
	Python               // this program's forerunner
)

var (
	officialPackage = regexp.MustCompile(`^@modelcontextprotocol/server-memory(@.*)?$`)
	officialScript  = regexp.MustCompile(`(^|/)(server-memory|src/memory)/(dist/)?index\.[jt]s$`)
	officialImage   = regexp.MustCompile(`^(docker\.io/)?mcp/memory(:.*)?$`)
	pythonPackage   = regexp.MustCompile(`^mcp[-_]memory(\.server)?(\[.*\])?([=<>~!@].*)?$|(^|/)mcp_memory/|/mcp-memory(\.git)?(@.*)?$`)
	pythonRunner    = regexp.MustCompile(`^(uvx?|pipx|py|python[0-9.]*)$`)
)

// Kind tells what a server is, to the program at a path. A file that would run
// is looked at, since the forerunner's script has our name.
func (s Server) Kind(program string) Kind {
	if s.Command == program {
		return Ours
	}
	runner := false
	for i, word := range s.launch().words {
		wrapped := word != s.Command
		word = slashed(word)
		name := programName(word)
		switch {
		case officialPackage.MatchString(word), name == "mcp-server-memory", officialScript.MatchString(word), officialImage.MatchString(word):
			return Official
		case runner && pythonPackage.MatchString(word):
			return Python
		case i == 0 && name == "mcp-memory":
			if isScript(word) {
				return Python
			}
			if !wrapped {
				return Ours
			}
		}
		runner = runner || pythonRunner.MatchString(name)
	}
	return Foreign
}

// programName is the name of a program without folder and ending.
func programName(word string) string {
	name := strings.ToLower(path.Base(word))
	for _, ending := range []string{".exe", ".cmd", ".bat"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}

func isScript(command string) bool {
	path, err := exec.LookPath(command)
	if err != nil {
		return false
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	start := make([]byte, 2)
	n, _ := file.Read(start)
	return bytes.Equal(start[:n], []byte("#!"))
}
