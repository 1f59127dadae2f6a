// Package rank orders what a search has found. It consists of pure functions
// on numbers: reciprocal rank fusion, a relevance that compares across
// queries, and the limbic signals (salience, recency, co-occurrence), which
// decide between near-equals only.
package rank
