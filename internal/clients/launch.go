package clients

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// launch is what a command line comes to: the words that shells and env start
// in the end, and the variables that they set on the way.
type launch struct {
	words   []string
	env     map[string]string
	moved   bool // it changes the folder first
	unclear bool // it is a script that can't be told from its words alone
}

var (
	assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)
	shells     = regexp.MustCompile(`^(sh|bash|zsh|dash|ash|ksh)$`)
	// What other shells, and other machines, make of their words is not known here.
	otherShells = regexp.MustCompile(`^(fish|csh|tcsh|nu|powershell|pwsh|wsl|ssh)$`)
	passing     = []string{"exec", "command", "nohup", "cross-env"}
)

// launch unwraps the command line of a server.
func (s Server) launch() launch {
	l := launch{words: append([]string{s.Command}, s.Args...), env: map[string]string{}}
	maps.Copy(l.env, s.Env)
	for len(l.words) > 0 && l.unwrap() {
	}
	return l
}

// unwrap takes one layer off, and says whether there was one.
func (l *launch) unwrap() bool {
	name := programName(slashed(l.words[0]))
	switch {
	case assignment.MatchString(l.words[0]):
		l.set(l.words[0])
		l.words = l.words[1:]
	case slices.Contains(passing, name):
		l.words = l.words[1:]
	case name == "env":
		l.words = l.words[1:]
		l.envOptions()
	case shells.MatchString(name):
		return l.shell()
	case name == "cmd":
		return l.cmd()
	case otherShells.MatchString(name):
		l.unclear = true
		l.words = strings.FieldsFunc(strings.Join(l.words[1:], " "), func(r rune) bool { return strings.ContainsRune(" \t\n;'\"", r) })
	default:
		return false
	}
	return true
}

func (l *launch) set(word string) {
	name, value, _ := strings.Cut(word, "=")
	l.env[name] = value
}

// envOptions reads what stands between env and its variables.
func (l *launch) envOptions() {
	for len(l.words) > 0 && strings.HasPrefix(l.words[0], "-") {
		option, value, given := strings.Cut(l.words[0], "=")
		l.words = l.words[1:]
		short := !strings.HasPrefix(option, "--") && len(option) > 2
		if short && strings.ContainsRune("uCS", rune(option[1])) {
			option, value, given = option[:2], option[2:], true
		}
		takesValue := slices.Contains([]string{"-u", "--unset", "-C", "--chdir", "-S", "--split-string"}, option)
		if takesValue && !given && len(l.words) > 0 {
			value, l.words = l.words[0], l.words[1:]
		}
		switch option {
		case "-u", "--unset":
			delete(l.env, value)
		case "-C", "--chdir":
			l.moved = true
		case "-S", "--split-string":
			commands, plain := splitScript(value, false)
			l.unclear = l.unclear || !plain
			l.words = append(slices.Concat(commands...), l.words...)
		case "-", "-i", "--ignore-environment":
			clear(l.env)
		}
	}
}

// shell reads the script of sh -c, and of shells like it.
func (l *launch) shell() bool {
	for i, word := range l.words[1:] {
		if !strings.HasPrefix(word, "-") {
			break // a script in a file
		}
		if !strings.HasPrefix(word, "--") && strings.Contains(word, "c") && i+2 < len(l.words) {
			l.script(splitScript(l.words[i+2], false))
			return true
		}
	}
	return false
}

// cmd reads what the command processor of Windows is to do.
func (l *launch) cmd() bool {
	for i, word := range l.words[1:] {
		if option := strings.ToLower(word); option != "/c" && option != "/k" {
			if strings.HasPrefix(word, "/") {
				continue
			}
			break
		}
		l.script(splitScript(strings.Join(l.words[i+2:], " "), true))
		return true
	}
	return false
}

// script takes on what the commands of a script set, and the one that is left.
func (l *launch) script(commands [][]string, plain bool) {
	l.words, l.unclear = nil, l.unclear || !plain
	for _, words := range commands {
		switch strings.ToLower(words[0]) {
		case "set": // of cmd: the value may have blanks
			if setting := strings.Join(words[1:], " "); assignment.MatchString(setting) {
				l.set(setting)
			}
			continue
		case "export":
			for _, word := range words[1:] {
				if assignment.MatchString(word) {
					l.set(word)
				}
			}
			continue
		case "cd":
			l.moved = true
			continue
		case "unset":
			for _, word := range words[1:] {
				delete(l.env, word)
			}
			continue
		}
		bare := !slices.ContainsFunc(words, func(word string) bool { return !assignment.MatchString(word) })
		l.unclear = l.unclear || !bare && len(l.words) > 0
		for _, word := range words {
			if bare { // not exported, unless it was before
				l.set(word)
				l.unclear = l.unclear || strings.HasPrefix(word, memoryVariable+"=")
			}
		}
		if !bare {
			l.words = append(l.words, words...)
		}
	}
}

func slashed(word string) string { return strings.ReplaceAll(word, `\`, "/") }
