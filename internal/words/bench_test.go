package words_test

import (
	"strings"
	"testing"

	"mcp-memory/internal/words"
)

// BenchmarkTerms measures bytes of ordinary text per second.
func BenchmarkTerms(b *testing.B) {
	for name, sentence := range map[string]string{
		"English": "The release of the second version was moved to March because the payment service still loses connections under load. ",
		"Spanish": "El lanzamiento de la segunda versión se pasó a marzo porque el servicio de pagos todavía pierde conexiones con mucha carga. ",
		"Russian": "Выпуск второй версии перенесли на март, потому что служба платежей всё ещё теряет соединения под нагрузкой. ",
		"Chinese": "第二个版本的发布推迟到三月，因为支付服务在高负载下仍然会断开连接。",
		"Thai":    "การเปิดตัวรุ่นที่สองเลื่อนไปเดือนมีนาคมเพราะบริการชำระเงินยังหลุดการเชื่อมต่อ ",
		"code":    "getUserName in internal/words/terms.go returns ERR_CONN_RESET since v1.2.3, see https://example.com/foo-bar?id=42. ",
	} {
		text := strings.Repeat(sentence, 20)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				words.Terms(text)
			}
		})
	}
}

func BenchmarkQuery(b *testing.B) {
	for b.Loop() {
		words.Query("¿Cuándo se decidió el lanzamiento de la segunda versión del servicio de pagos?")
	}
}
