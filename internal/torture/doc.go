// Package torture tries to break the memory from outside: it starts real
// servers on one database, has them written to, killed and put where there is no
// room, and compares what is stored with an exact model of what they had
// acknowledged. It knows the program by its protocol and its file only.
package torture
