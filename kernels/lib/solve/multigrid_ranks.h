/* multigrid_ranks.h -- p-multigrid by ranks on GPUs, for multigrid.h alone: messages, and sums whose bits
 * neither the number of ranks nor that of blocks changes.
 *
 * An element's products are added up by a warp, node m by lane m % 32 whatever the rank numbers it, and their sum is
 * cut into words, multiples of 2^168, 2^144, ..., whose sums have no rounding. Mailboxes have two halves, which
 * messages take in turns: a rank that has posted twice has seen that the others had read the first. */
#ifndef BP_KERNELS_SOLVE_MULTIGRID_RANKS_H
#define BP_KERNELS_SOLVE_MULTIGRID_RANKS_H

enum { WORD_BITS = 24, WORD_UNIT = 168, DOT_WARPS = 8, NOWHERE = -1 };

/* At the end of a half: two sums of each rank. */
BP_DEVICE double *mail_words(const long long *mail, long long rank, int half)
{
  return (double *)(mail_box(mail, rank, BP_BOX_COPIES) + (half + 1) * mail[BP_MAIL_HALF]) -
         2 * BP_MG_WORDS * mail[BP_MAIL_RANKS];
}

/* What stands at sent[] of sparse_in[], `stride` from field to field, goes to other ranks. */
BP_KERNEL_BOUNDED(pack, 256, 0)
{
  BP_SHARED(double, buffer, [1]);
  mail_send(mail, sent, sent_count, sparse_in, stride, outbox, BP_FIELDS, half_of(mail, 0), buffer);
}

/* And what has come goes there in sparse_out[]. */
BP_KERNEL_BOUNDED(unpack, 256, 0)
{
  mail_wait(mail);
  const double *const from = mail_inbox(mail, inbox, half_of(mail, 1));
  EACH(n, (long long)sent_count * BP_FIELDS)
  {
    const unsigned place = sent[n / BP_FIELDS];
    if (place != (unsigned)NOWHERE)
      sparse_out[n % BP_FIELDS * stride + place] = (real)from[n];
  }
}

/* ---- sums ---- */

typedef struct {
  const real *x, *y; /* y NULL: */
  const float *z;
  double factor; /* a power of two, so that words have what matters */
} dot_of;

BP_DEVICE double dot_product(const dot_of *d, long long at)
{
  return bp_multiply(d->factor * d->x[at], d->y ? (double)d->y[at] : (double)d->z[at]);
}

/* x, rounded to a multiple of 2^(WORD_UNIT - WORD_BITS word). */
BP_DEVICE double rounded_to_word(double x, int word)
{
  const int unit = WORD_UNIT - WORD_BITS * word;
  const double y = bp_multiply(x, ldexp(1.0, -unit)), most = ldexp(1.0, 51), up = 3 * most;
  return -most < y && y < most ? bp_multiply(y + up - up, ldexp(1.0, unit)) : x;
}

/* The products of an element, in all lanes: those that it has first in the whole mesh. */
BP_DEVICE double dot_element(const dot_of *d, long long e, const int *ids, const unsigned *starts,
                             const unsigned *copied, int inner)
{
  double own = 0;
  for (int n = bp_lane(); n < ELEMENT_INNER; n += 32)
    own += dot_product(d, e * ELEMENT_INNER + n);
  for (int m = bp_lane(); m < ELEMENT_SURFACE; m += 32) {
    const int id = ids[e * ELEMENT_SURFACE + m];
    if (id >= 0 && owns_of_all(starts, copied, e, m, id, inner))
      own += dot_product(d, id);
  }
  BP_UNROLL
  for (int mask = 16; mask > 0; mask /= 2)
    own += bp_shuffle_xor(own, mask);
  return own;
}

/* Words of the sums that the row tells, of each block. */
BP_KERNEL_BOUNDED(dot, 32 * DOT_WARPS, 0)
{
  BP_SHARED(double, words, [DOT_WARPS][BP_MG_WORDS]);
  const double *const numbers = row_of(schedule, row);
  const int begin = (int)numbers[BP_MG_FLAGS], end = begin + (int)numbers[BP_MG_COARSE],
            w = bp_lane() % BP_MG_WORDS;
  const double scale = numbers[BP_MG_SCALE];
  for (int sum = begin; sum < end; ++sum) {
    const double factor = sum == BP_MG_RR ? scale * scale : sum == BP_MG_RZ ? scale : 1;
    const bool is_there = sum != BP_MG_ZAP || counts[COUNT_COMPLETED] > 0;
    double word = 0;
    for (long long e = (long long)blockIdx.x * DOT_WARPS + bp_warp(); e < elements && is_there;
         e += (long long)gridDim.x * DOT_WARPS)
      for (int f = 0; f < BP_FIELDS; ++f) {
        const real *const x = sum == BP_MG_PAP   ? p
                              : sum == BP_MG_ZAP ? ap
                                                 : r,
                          *const y = sum == BP_MG_RR    ? r
                                     : sum == BP_MG_PAP ? ap
                                                        : 0;
        const dot_of d = {x + f * stride, y ? y + f * stride : 0, cycle_x + f * stride, factor};
        const double own = dot_element(&d, e, ids, starts, copied, inner),
                     above = w > 0 ? rounded_to_word(own, w - 1) : 0;
        word += rounded_to_word(own, w) - above;
      }
    if (bp_lane() < BP_MG_WORDS)
      words[bp_warp()][w] = word;
    BP_BARRIER();
    if (bp_thread() < BP_MG_WORDS) {
      word = 0;
      for (int n = 0; n < DOT_WARPS; ++n)
        word += words[n][w];
      state[sum * BP_MG_PARTS + blockIdx.x * BP_MG_WORDS + w] = word / factor;
    }
    BP_BARRIER();
  }
}

/* Those of all blocks, for all ranks: one block. Without mailboxes they are where `total` looks. */
BP_KERNEL_BOUNDED(words, 256, 0)
{
  BP_SHARED(double, parts, [256]);
  const double *const numbers = row_of(schedule, row);
  const int begin = (int)numbers[BP_MG_FLAGS], end = begin + (int)numbers[BP_MG_COARSE],
            blocks = (int)numbers[BP_MG_BEFORE], w = bp_thread() % BP_MG_WORDS,
            ranks = (int)mail[BP_MAIL_RANKS], half = half_of(mail, 0);
  for (int sum = begin; sum < end; ++sum) {
    double word = 0;
    for (int n = bp_thread() / BP_MG_WORDS; n < blocks; n += bp_threads() / BP_MG_WORDS)
      word += state[sum * BP_MG_PARTS + n * BP_MG_WORDS + w];
    parts[bp_thread()] = word;
    BP_BARRIER();
    if (bp_thread() < BP_MG_WORDS) {
      word = 0;
      for (int n = w; n < bp_threads(); n += BP_MG_WORDS)
        word += parts[n];
      for (int n = 0; n < ranks; ++n)
        mail_words(mail, n, half)[(mail[BP_MAIL_RANK] * 2 + sum - begin) * BP_MG_WORDS + w] = word;
      if (ranks == 0)
        state[BP_MG_TOTALS + sum * BP_MG_WORDS + w] = word;
    }
    BP_BARRIER();
  }
  if (ranks > 0)
    mail_post(mail);
}

/* What has come of all ranks. */
BP_KERNEL_BOUNDED(hear, 32, 0)
{
  mail_wait(mail);
  const double *const numbers = row_of(schedule, row);
  const int begin = (int)numbers[BP_MG_FLAGS], count = (int)numbers[BP_MG_COARSE],
            half = half_of(mail, 1);
  EACH_HERE(n, count * BP_MG_WORDS)
  {
    double word = 0;
    for (int m = 0; m < (int)mail[BP_MAIL_RANKS]; ++m)
      word += mail_words(mail, mail[BP_MAIL_RANK], half)[2 * m * BP_MG_WORDS + n];
    state[BP_MG_TOTALS + begin * BP_MG_WORDS + n] = word;
  }
}

#endif
