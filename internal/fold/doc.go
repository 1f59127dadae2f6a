// Package fold maps texts to the form in which searches compare them, and tells
// those of which nothing can be seen.
package fold
