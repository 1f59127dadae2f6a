// Package model knows the files of the embedding model: which there are, how
// to get them, and what lies in a folder. It runs no model.
package model
