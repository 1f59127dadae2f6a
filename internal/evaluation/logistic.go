package evaluation

import "math"

// terms are the three factors, or the three terms, of a logistic curve: a
// constant, evidence and gap.
type terms [3]float64

func (t terms) dot(u terms) float64 { return t[0]*u[0] + t[1]*u[1] + t[2]*u[2] }

// observation is one case to fit a curve to.
type observation struct {
	terms  terms
	right  bool
	weight float64
}

const (
	// ridge is the penalty on squared factors. It makes no difference but where
	// right and wrong are told apart completely, which no finite curve fits.
	ridge = 1e-6
	// maxSteps of Newton's method; it takes less than ten as a rule.
	maxSteps = 100
	// settled is the change of the loss at which a fit ends.
	settled = 1e-12
)

// fitLogistic returns the factors f for which 1/(1 + exp(-f·terms)) is the most
// likely to make of the observations what they are: maximum likelihood by
// Newton's method (iteratively reweighted least squares), with steps halved
// where they overshoot.
func fitLogistic(list []observation) terms {
	var f terms
	loss := logLoss(list, f)
	for range maxSteps {
		step := newtonStep(list, f)
		next, better := f, loss
		for scale := 1.0; scale > settled; scale /= 2 {
			for i := range f {
				next[i] = f[i] - scale*step[i]
			}
			if better = logLoss(list, next); better <= loss {
				break
			}
		}
		if !(loss-better > settled*loss) {
			break
		}
		f, loss = next, better
	}
	return f
}

// logLoss is the negative logarithm of the likelihood, and the penalty.
func logLoss(list []observation, f terms) float64 {
	loss := ridge / 2 * f.dot(f)
	for _, o := range list {
		z := f.dot(o.terms)
		if o.right {
			z = -z
		}
		loss += o.weight * (max(z, 0) + math.Log1p(math.Exp(-math.Abs(z)))) // log(1 + exp z)
	}
	return loss
}

// newtonStep is the gradient of logLoss at f over its curvature.
func newtonStep(list []observation, f terms) terms {
	var gradient terms
	var curvature [3]terms
	for i := range f {
		gradient[i] = ridge * f[i]
		curvature[i][i] = ridge
	}
	for _, o := range list {
		p := 1 / (1 + math.Exp(-f.dot(o.terms)))
		excess := p
		if o.right {
			excess--
		}
		for i, a := range o.terms {
			gradient[i] += o.weight * excess * a
			for j, b := range o.terms {
				curvature[i][j] += o.weight * p * (1 - p) * a * b
			}
		}
	}
	return solve(curvature, gradient)
}

// solve returns the x with a·x = b, a being symmetric and positive definite, by
// Gaussian elimination.
func solve(a [3]terms, b terms) (x terms) {
	for i := range a {
		for row := i + 1; row < len(a); row++ {
			factor := a[row][i] / a[i][i]
			for column := range a[row] {
				a[row][column] -= factor * a[i][column]
			}
			b[row] -= factor * b[i]
		}
	}
	for i := len(a) - 1; i >= 0; i-- { // x[i] is still 0 in a[i]·x
		x[i] = (b[i] - a[i].dot(x)) / a[i][i]
	}
	return x
}
