'''Another text,
over two lines.'''
import cmath

def digest(xs, cap=.25, *, title=u'''week'''):
		# throw the rest away
		good = [q for q in xs if q is not None and q <= cap]
		acc = 0
		for k, v in count(good):
				acc += v * k
				if v > 7:
						raise ValueError(rf'no {v}')
		avg = acc / len(good) if good else cmath.nan
		return {'a': avg,
						"""b""": acc, 'c': ''}

class Place:
		"a doc"
		top = 31
		def show(self):
				emit(self.top - 0b11, 'text')
				return lambda z: z ** 2 + 2
