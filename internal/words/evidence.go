package words

import "strings"

// letters are the languages that a letter beyond ASCII speaks for.
var letters = map[rune]languages{
	'á': of(spanish, portuguese), 'é': of(spanish, portuguese, french), 'í': of(spanish, portuguese),
	'ó': of(spanish, portuguese), 'ú': of(spanish, portuguese), 'ñ': of(spanish),
	'ã': of(portuguese), 'õ': of(portuguese), 'ç': of(portuguese, french),
	'â': of(portuguese, french), 'ê': of(portuguese, french), 'ô': of(portuguese, french),
	'à': of(french, italian), 'è': of(french, italian), 'ù': of(french, italian),
	'ì': of(italian), 'ò': of(italian),
	'ë': of(french), 'î': of(french), 'ï': of(french), 'û': of(french), 'œ': of(french),
	'ä': of(german), 'ö': of(german), 'ü': of(german), 'ß': of(german),
}

// digraphs are the languages that a letter before h speaks for.
var digraphs = map[string]languages{
	"sh": of(english), "th": of(english), "wh": of(english), "gh": of(english),
	"lh": of(portuguese), "nh": of(portuguese),
}

// maxEnding is the length of the longest of wordEndings, in bytes.
const maxEnding = 8

// wordEndings are the languages that the ending of a word speaks for. Longer
// endings go before shorter ones.
var wordEndings = func() map[string]languages {
	set := map[string]languages{}
	for lang, list := range map[language]string{
		english: `e able ck d ed ful ght ible ing ings less ly ment ments ness ould ry ship tion tions ts ty ws y ous al ic ive sis`,
		spanish: `ción ciones cion sión siones sion gión dad dades miento mientos mente aje ajes able ible ado ada ados adas ido idos
			idas o a os as eo es oso osa ico ica ía ías ia ías ío ios ón illo illa ero era eza ario aria ar ando iendo ien io ue`,
		portuguese: `ção ções cao coes são sões soes dade dades mento mentos mente agem agens ado ada ados adas ido idos idas o a
			os as oso osa ico ica ia ão ao ões oes ável ível eiro eira eza inho inha ário ária ando endo ar eis ais em io`,
		french: `e able age ages aire aires aux eau eaux ée ées elle ement ements ent er ère ères és ette eur eurs euse euses eux ez ible
			ique iques ité ités ment ments oir ois ré té tion tions ier iers re ue ion`,
		german: `chen en er erung erungen haft heit heiten iert ieren isch ische ischen keit keiten lich liche lichen sch schaft tät
			tz ung ungen ität ig bar los eln ern nd rt ß`,
		italian: `aggi aggio ando are ario ata ate ati ato cchi endo ere etti etto ezza ezze gli ica iche ici ico ini ino ire ita iti it o
			ità llo lli mente menti mento o a e i osa oso sione sioni tta tte tti tto zione zioni zza ia io one ale`,
	} {
		for ending := range strings.FieldsSeq(list) {
			set[ending] |= of(lang)
		}
	}
	return set
}()
