# model.sh -- the model of many GPUs in docs/: published figures within 15 %, and what has to be in any of its figures.
PYTHONDONTWRITEBYTECODE=1 python3 docs/ranks_model.py --check > "$here/model"
expect_true "all published figures within 15 %" [ $? -eq 0 ]
expect_equal "figures" "$(wc -l < "$here/model")" 7
PYTHONDONTWRITEBYTECODE=1 python3 - > "$here/laws" << 'END'
import sys
sys.path.insert(0, "docs")
import ranks_model as m
one = m.iteration(m.H200, 1, 2e7)
laws = {
    "one rank is its floor and rate": abs(one - (m.H200.floor + 2e7 / (1e9 * m.H200.gdofs))) < 1e-12,
    "more ranks are never faster each": all(m.rate(m.H200, a, 2e7) >= m.rate(m.H200, b, 2e7)
                                            for a, b in zip(m.COUNTS, m.COUNTS[1:])),
    "26 neighbours": len(list(m.neighbours(m.H200, 512, 1e6))) == 26,
    "7 of 8 ranks": len(list(m.neighbours(m.H200, 8, 1e6))) == 7,
    "a network that is off costs": m.iteration(m.H200._replace(nic=1e8), 512, 2e7) > 2 * one,
    "n0.8 has 0.8": abs(m.rate(m.H200, 64, m.reach(m.H200, 64)) / (0.8 * m.H200.gdofs) - 1) < 0.01,
}
for law, holds in laws.items():
    print("holds" if holds else "broken: " + law)
END
expect_equal "laws of the model" "$(sort -u "$here/laws")" holds
