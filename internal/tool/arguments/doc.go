// Package arguments decodes the arguments of a tool call into a struct, as
// leniently as the clients that exist need it and as strictly as what is
// stored needs it. The struct is the one from which the tool's input schema is
// made, and these tags of its fields say what is taken:
//
//	json:"name,omitempty"       the announced key; without omitempty it is required
//	alias:"other,another"       keys that are read too, when the announced one is missing;
//	                            what is wrong is told under the key that was sent
//	jsonschema:"default=10"     the value of an integer or string that is left out
//	jsonschema:"minLength=1"    a text (of a list: each) must not be empty
//	max:"512"                   a text has at most so many code points, and an integer
//	                            beyond counts as this
//	min:"1"                     an integer is at least this
//	form:"name"                 a text is judged in its canonical form, as names are stored,
//	                            and must have a visible character
package arguments
