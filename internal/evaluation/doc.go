// Package evaluation measures how well a search finds what it should: it reads
// sets of texts and questions with known answers, asks a Searcher, and says in
// figures what came back and whether two searches differ by more than chance.
// It also fits to what came back how probably a result is right. It knows the
// memory's types, and no database and no model.
package evaluation
