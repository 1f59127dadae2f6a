package words

import (
	"strings"

	"mcp-memory/internal/fold"
)

// functionWords are the languages of which a word is a function word: the
// commonest pronouns, articles, prepositions, conjunctions and auxiliary verbs,
// as they are written and without accents.
//
//nolint:misspell // other languages
var functionWords = func() map[string]languages {
	set := map[string]languages{}
	for lang, list := range map[language]string{
		english: `a about after again all also am an and any are as at be because been before being between both but by
			can cannot could did do does doing done down each few for from further get gets got had has have having he her here hers him
			his how i if in into is it its itself just ll me might more most must my no nor not now of off on once only or other our
			out over own re s same shall she should so some such t than that the their them then there these they this those
			through to too under until up us ve very via was we were what when where which while who whom whose why will with
			within without would yet you your yours don doesn didn isn wasn`,
		spanish: `a al algo algún alguna algunas alguno algunos ante antes aquel aquella aquí así aun aún aunque bajo cada casi
			como cómo con contra cual cuál cuales cuáles cuándo cuando cuánto cuánta cuántos cuántas de del desde donde dónde dos durante e el él ella
			ellas ellos en entre era eran eres es esa esas ese eso esos esta está están estas estaba estamos este esto estos estoy fue fueron
			ha había han has hasta hay he hemos la las le les lo los más me mi mí mientras mis mucho muchos muy nada ni no nos
			nosotros nuestra nuestro o os otra otras otro otros para pero poco por porque qué que quien quién quiénes se sea según ser si sí siempre
			sido sin sino sobre solo sólo son soy su sus también tan tanto te tengo tiene tienen todo toda todos todas tras tu tú tus un una
			unas uno unos usted ustedes va vamos van y ya yo`,
		portuguese: `a à ainda algo alguém algum alguma ao aos apenas após aquela aquele aqui as às até cada com como da
			das de dela dele deles depois desde dessa desse desta deste do dos e é ela elas ele eles em entre era eram essa essas esse esses esta
			está estão estas estava este estes estou eu foi foram fosse há isso isto já lhe lhes mais mas me mesmo meu meus minha
			minhas muito muitos na não nas nem nenhum no nos nós nossa nosso num numa o onde os ou outra outro outros para pela
			pelas pelo pelos por porque qual quais quando quanto que quê quem são se seja sem sempre ser será seu seus sim só sobre
			sua suas também te tem têm tinha todo toda todos todas tu tua um uma umas uns vai você vocês vão`,
		french: `a à afin ai alors après as au aucun aussi autre autres aux avaient avait avant avec avez avons ayant c car ce
			ceci cela celle celles celui ces cet cette ceux chaque chez ci comme comment d dans de depuis des donc dont du elle
			elles en encore entre es est et étaient était étant été être eu eux fait faut fut hors il ils j je jusqu l la laquelle
			le lequel les leur leurs lors lorsque lui m ma mais même mes moi moins mon n ne ni nos notre nous on ont ou où par parce
			pas pendant peu peut plus plusieurs pour pourquoi puis qu quand que quel quelle quelles quels qui quoi sa sans se ses si soit
			son sont sous sur ta te tes toi ton tous tout toute toutes très trop tu un une vers voici vos votre vous y`,
		german: `aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei beim bin bis bist da
			damit dann das dass dein deine dem den denn der des dessen deren die dies diese diesem diesen dieser dieses doch dort du durch
			ein eine einem einen einer eines er es etwas euch für gegen gibt habe haben hat hatte hatten hier ich ihm ihn ihnen ihr ihre
			ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes jetzt kann kein keine keinen können könnte man mehr mein meine
			mit muss nach nicht nichts noch nun nur ob oder ohne schon sehr sein seine seinem seinen seiner seit sich sie sind so
			soll sollte über um und uns unser unter vom von vor war waren warum was wegen weil welche welcher welches wenn wer werden wie
			wieder wieviel will wir wird wo wurde wurden zu zum zur zwischen`,
		italian: `a abbia abbiamo ad agli ai al alla alle allo anche ancora aveva avevano c che chi ci cioè col come con
			contro cosa così cui d da dagli dai dal dalla dalle dei del dell della delle dello degli di dopo dove due e è ed era erano essere
			fa fra fu furono gli ha hai hanno ho i il in invece io l la le lei li lo loro lui ma me mentre mi mia mie mio molto
			ne né negli nei nel nell nella nelle nello no noi non nostra nostro o ogni oppure per perché però più poi prima qual quale quali
			quando quanta quante quanti quanto quella quelle quelli quello questa queste questi questo qui sarà se sei senza si sì sia siamo
			siano sono sopra sotto stata stato su sua sue sugli sui sul sulla sulle suo suoi tra tu tua tuo tutte tutti tutto un una uno vi voi`,
	} {
		for word := range strings.FieldsSeq(list) {
			set[word] |= of(lang)
			set[fold.Text(word)] |= of(lang)
		}
	}
	return set
}()

// otherFunctionWords are the folded function words of Russian and Arabic.
var otherFunctionWords = func() map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(`
		а без более бы был была были было быть в вам вас во вот все всё всех вы где да для до его ее её ему если есть еще ещё же за
		и из или им их к как какая какие какой ко когда которая которые который кто куда ли лишь мне мой мы на над нас не него нее
		нет ни них но о об он она они оно от по под почему при с сколько со так также такой там то того тоже только том ты у уже чего чем что
		чтобы эта эти это этого этой этом этот я
		في من على إلى عن مع هذا هذه ذلك تلك التي الذي الذين ما ماذا متى أين كيف كم لماذا هل من هو هي هم هما نحن أنا أنت كان كانت
		يكون تكون قد لقد لا لم لن إن أن أو و ثم بين بعد قبل عند كل بعض غير أي أيضا حيث حتى كما لكن ليس ليست`) {
		set[fold.Text(word)] = true
	}
	return set
}()
