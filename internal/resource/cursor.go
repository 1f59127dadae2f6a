package resource

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"

	"mcp-memory/internal/memory"
)

// cursor writes a place in the list as a text that nobody needs to understand.
func cursor(p memory.Place) string {
	b := binary.AppendVarint(nil, p.Before)
	last := int64(0)
	for _, id := range p.Shown {
		b = binary.AppendVarint(b, id-last)
		last = id
	}
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	return base64.RawURLEncoding.EncodeToString(b)
}

// place reads what cursor has written; nil of none. It returns
// *memory.InputError for anything else.
func place(cursor string) (*memory.Place, error) {
	if cursor == "" {
		return nil, nil
	}
	bad := &memory.InputError{Path: "cursor", Reason: "must be the nextCursor of an earlier list: leave it out for the first page"}
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(b) <= crc32.Size || len(b) > binary.MaxVarintLen64*(pageSize+1)+crc32.Size {
		return nil, bad
	}
	b, sum := b[:len(b)-crc32.Size], b[len(b)-crc32.Size:]
	if binary.BigEndian.Uint32(sum) != crc32.ChecksumIEEE(b) {
		return nil, bad
	}
	var numbers []int64
	for len(b) > 0 {
		n, length := binary.Varint(b)
		if length <= 0 {
			return nil, bad
		}
		numbers, b = append(numbers, n), b[length:]
	}
	shown := numbers[1:]
	for i := 1; i < len(shown); i++ {
		shown[i] += shown[i-1]
	}
	return &memory.Place{Before: numbers[0], Shown: shown}, nil
}
