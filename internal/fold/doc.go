// Package fold maps texts to the form in which searches compare them.
package fold
