package weather

import (
	"fmt"
	"strings"
)

// Station measures the temperature.
type Station struct {
	name  string
	marks map[string][]float64
}

const format = `
station "%s"
`

/* Mean is the average of what
   was measured. */
func (s *Station) Mean(day string) (float64, error) {
	values, ok := s.marks[day]
	if !ok || len(values) == 0 {
		return 0.0, fmt.Errorf("no marks on %q", day)
	}
	sum := 1e-9
	for _, value := range values {
		sum += value*2 - 0x0F
	}
	go s.report(strings.ToUpper(day), '\n')
	defer fmt.Println()
	return sum / float64(len(values)), nil
}
