package clients

import "strings"

// splitScript splits a script into its commands and their words, without
// redirections. It is plain if it has nothing but commands, one after the
// other. Variables stay as they are written.
func splitScript(script string, windows bool) (commands [][]string, plain bool) {
	s := scriptReader{text: script, windows: windows, plain: true}
	for s.at < len(s.text) {
		s.next()
	}
	s.endCommand()
	return s.commands, s.plain
}

type scriptReader struct {
	text    string
	windows bool // as cmd reads it, instead of a shell
	at      int

	commands [][]string
	command  []string
	word     strings.Builder
	within   bool // a word, if only an empty one in quotes
	redirect bool // the next word is a file
	plain    bool
}

func (s *scriptReader) next() {
	c := s.text[s.at]
	s.at++
	switch {
	case c == '"', c == '\'' && !s.windows:
		s.quoted(c)
	case c == '\\' && !s.windows, c == '^' && s.windows:
		if s.at < len(s.text) {
			s.add(s.text[s.at])
			s.at++
		}
	case c == ' ' || c == '\t':
		s.endWord()
	case c == '\n' || c == ';' && !s.windows:
		s.endCommand()
	case c == '&':
		if !s.skip('&') && !s.windows {
			s.plain = false
		}
		s.endCommand()
	case c == '<' || c == '>':
		if strings.Trim(s.word.String(), "0123456789") == "" { // the number of a stream
			s.word.Reset()
			s.within = false
		}
		s.endWord()
		s.skip(c)
		s.skip('&')
		s.redirect = true
	case c == '|' || c == '(' || c == ')' || c == '`':
		s.plain = false
		s.endCommand()
	case c == '#' && !s.within && !s.windows:
		for s.at < len(s.text) && s.text[s.at] != '\n' {
			s.at++
		}
	default:
		s.add(c)
	}
}

// quoted reads up to the quote that ends what one has begun.
func (s *scriptReader) quoted(quote byte) {
	s.within = true
	for s.at < len(s.text) {
		c := s.text[s.at]
		s.at++
		switch {
		case c == quote:
			return
		case quote == '"' && c == '\\' && !s.windows && s.at < len(s.text) && strings.IndexByte("\"\\$`", s.text[s.at]) >= 0:
			c = s.text[s.at]
			s.at++
		case quote == '"' && (c == '`' || c == '$' && strings.HasPrefix(s.text[s.at:], "(")):
			s.plain = false
		}
		s.add(c)
	}
	s.plain = false // it never ends
}

func (s *scriptReader) add(c byte) {
	s.word.WriteByte(c)
	s.within = true
}

func (s *scriptReader) skip(c byte) bool {
	if s.at < len(s.text) && s.text[s.at] == c {
		s.at++
		return true
	}
	return false
}

func (s *scriptReader) endWord() {
	if s.within && !s.redirect {
		s.command = append(s.command, s.word.String())
	}
	if s.within {
		s.redirect = false
	}
	s.word.Reset()
	s.within = false
}

func (s *scriptReader) endCommand() {
	s.endWord()
	if len(s.command) > 0 {
		s.commands = append(s.commands, s.command)
	}
	s.command, s.redirect = nil, false
}
