// Package packaging holds what packages are made with: scripts, and templates
// of the files that installers and registries read. Its tests keep those in
// step with the program and with each other; server.json is where the version
// and the description are written first.
package packaging
