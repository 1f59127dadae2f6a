package clients

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// container is what a command line says of a container that it runs.
type container struct {
	program string // docker, or one like it
	image   string // the official one, or ""
	run     bool   // it is made anew at each start
	rm      bool   // and removed at the end
	mounts  []mount
	env     map[string]string
}

// mount puts a folder or a file into a container.
type mount struct {
	source string // on this machine, or the name of a volume
	target string // in the container
	volume bool
}

// officialFolder is where the official image has its package.
const officialFolder = "/app/dist"

var (
	containerPrograms = regexp.MustCompile(`^(docker|podman|nerdctl)$`)
	volumeName        = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)
	windowsDrive      = regexp.MustCompile(`^[A-Za-z]:[\\/]`)
)

// container reads the command line of a container, if it is one.
func (l launch) container() (container, bool) {
	start := slices.IndexFunc(l.words, func(word string) bool {
		return containerPrograms.MatchString(programName(slashed(word)))
	})
	if start < 0 {
		return container{}, false
	}
	c := container{program: programName(slashed(l.words[start])), env: map[string]string{}}
	composed := false
	for words := l.words[start+1:]; len(words) > 0; {
		word := words[0]
		words = words[1:]
		switch {
		case officialImage.MatchString(word):
			c.image = word
			return c, true
		case word == "compose": // most of it stands in another file
			composed = true
		case word == "run":
			c.run = !composed
		case word == "--rm" || word == "--rm=true":
			c.rm = true
		case strings.HasPrefix(word, "--"):
			words = c.long(word[2:], words, l.env)
		case strings.HasPrefix(word, "-"):
			words = c.short(word[1:], words, l.env)
		case strings.HasPrefix(word, memoryVariable+"="): // set within another image
			c.env[memoryVariable] = word[len(memoryVariable)+1:]
		}
	}
	return c, true
}

// long reads a flag with a long name, and gives what follows.
func (c *container) long(flag string, words []string, outside map[string]string) []string {
	name, value, given := strings.Cut(flag, "=")
	if !slices.Contains([]string{"volume", "mount", "env"}, name) {
		return words
	}
	if !given && len(words) > 0 {
		value, words = words[0], words[1:]
	}
	switch name {
	case "volume":
		c.addVolume(value)
	case "mount":
		c.addMount(value)
	case "env":
		c.setEnv(value, outside)
	}
	return words
}

// short reads flags of one letter, of which the last may have a value.
func (c *container) short(flags string, words []string, outside map[string]string) []string {
	for i, flag := range flags {
		if strings.ContainsRune("ditPq", flag) {
			continue
		}
		value := strings.TrimPrefix(flags[i+1:], "=")
		if value == "" && len(words) > 0 {
			value, words = words[0], words[1:]
		}
		switch flag {
		case 'v':
			c.addVolume(value)
		case 'e':
			c.setEnv(value, outside)
		}
		return words
	}
	return words
}

// setEnv sets a variable, or passes one on from outside.
func (c *container) setEnv(word string, outside map[string]string) {
	name, value, given := strings.Cut(word, "=")
	if !given {
		value = outside[name]
	}
	c.env[name] = value
}

// addVolume reads SOURCE:TARGET[:OPTIONS]. Without a source, the volume has no name.
func (c *container) addVolume(text string) {
	drive := ""
	if windowsDrive.MatchString(text) {
		drive, text = text[:2], text[2:]
	}
	// A colon of ${env:NAME} is none between the parts.
	hidden := strings.ReplaceAll(text, "env:", "env\x00")
	parts := strings.Split(hidden, ":")
	m := mount{target: parts[0], volume: true}
	if len(parts) > 1 {
		m.source, m.target = drive+strings.ReplaceAll(parts[0], "\x00", ":"), parts[1]
		m.volume = volumeName.MatchString(m.source)
	}
	c.mounts = append(c.mounts, m)
}

// addMount reads type=bind,source=…,target=….
func (c *container) addMount(text string) {
	m := mount{volume: true}
	for part := range strings.SplitSeq(text, ",") {
		switch name, value, _ := strings.Cut(part, "="); name {
		case "type":
			m.volume = value != "bind"
		case "source", "src":
			m.source = value
		case "target", "dst", "destination":
			m.target = value
		}
	}
	c.mounts = append(c.mounts, m)
}

// covering is the mount that a file in the container lies in, and its path there.
func (c container) covering(file string) (found mount, rest string, ok bool) {
	for _, m := range c.mounts {
		target := path.Clean(m.target)
		inside, within := strings.CutPrefix(file, strings.TrimSuffix(target, "/")+"/")
		if file != target && !within || ok && len(target) < len(path.Clean(found.target)) {
			continue
		}
		if file == target {
			inside = ""
		}
		found, rest, ok = m, inside, true
	}
	return found, rest, ok
}

// files are the paths in the container that the memory may have.
func (c container) files() []string {
	switch file := c.env[memoryVariable]; {
	case strings.HasPrefix(file, "/"):
		return []string{path.Clean(file)}
	case c.image == "" || strings.Contains(file, "$"):
		return nil
	case file != "":
		return []string{path.Join(officialFolder, file)}
	}
	return []string{officialFolder + "/memory.jsonl", officialFolder + "/memory.json"}
}

// source is where the memory of the container lies on this machine.
func (c container) source(system System) Source {
	var there, missing []string
	files := c.files()
	for _, file := range files {
		m, rest, ok := c.covering(file)
		host := system.expand(m.source)
		if !c.run || !ok || m.volume || !system.absolute(host) || strings.Contains(host, "$") {
			continue
		}
		folder := host
		if rest != "" {
			host = system.join(strings.TrimRight(host, `/\`), rest)
		}
		switch {
		case system.Exists(host):
			there = append(there, host)
		case system.Exists(folder):
			missing = append(missing, host)
		}
	}
	switch {
	case len(there) > 0:
		return newest(there)
	case len(missing) > 0:
		return nothingIn(missing[0])
	case len(files) == 0:
		return Source{Reason: "it keeps its file inside a container, at a place that its entry does not tell", Elsewhere: true, Remedy: c.copyOut("FILE")}
	}
	return c.inside(files[0])
}

// inside tells how to get a file out that can't be reached.
func (c container) inside(file string) Source {
	source := Source{Elsewhere: true, Remedy: c.copyOut(file)}
	m, _, mounted := c.covering(file)
	switch {
	case !mounted || m.source == "":
		source.Reason = "it keeps its file inside a container, as " + file
		if c.rm {
			source.Reason += ", which is removed with the container (--rm) when the client ends"
		}
	case m.volume:
		source.Reason = "it keeps its file in the volume " + m.source + " of " + c.program + ", as " + file
		if c.image != "" && c.run {
			source.Remedy = c.program + " run --rm -v " + m.source + ":" + m.target + " --entrypoint cat " + c.image + " " + file + " > memory.jsonl"
		}
	default:
		source.Reason = "it keeps its file in " + m.source + ", mounted as " + m.target + ", which was not found here"
	}
	return source
}

func (c container) copyOut(file string) string {
	return c.program + " cp CONTAINER:" + file + " memory.jsonl (" + c.program + " ps lists the containers)"
}
