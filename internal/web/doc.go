// Package web is the page on which people look at the memory and edit it: its
// files, and the JSON API below /api/ that they use. What the page may do is what
// the tools do; beside them it reads details and outlines of the graph, and takes
// changes back. Who may ask at all is for the server it is mounted on.
package web
