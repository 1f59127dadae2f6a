// Package passage renders an entity as the text that is embedded for it: name,
// type, observations and relations within a budget of tokens. It counts tokens
// with the function it is given and knows no tokenizer itself.
package passage
