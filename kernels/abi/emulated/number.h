/* number.h -- a double that counts what is done with it: every operation, every access to
 * memory. emulated/gpu.h puts it in the place of double where BP_EMULATE_COUNT is defined. */
#ifndef BP_KERNELS_ABI_EMULATED_NUMBER_H
#define BP_KERNELS_ABI_EMULATED_NUMBER_H

struct bp_emulated_number {
  bp_emulated_real value;

  bp_emulated_number() = default;
  bp_emulated_number(bp_emulated_real x) : value(x) {}
  bp_emulated_number(int x) : value(x) {}
  bp_emulated_number(unsigned x) : value(x) {}
  bp_emulated_number(long x) : value((bp_emulated_real)x) {}
  bp_emulated_number(unsigned long x) : value((bp_emulated_real)x) {}
  bp_emulated_number(const bp_emulated_number &x) : value(x.load()) {}

  bp_emulated_real load() const
  {
    bp_emulated_count_load(this);
    return value;
  }
  bp_emulated_number &operator=(const bp_emulated_number &x)
  {
    value = x.load();
    bp_emulated_count_store(this);
    return *this;
  }
  explicit operator bp_emulated_real() const
  {
    return load();
  }
  explicit operator int() const
  {
    return (int)load();
  }
};

#define BP_EMULATED_ARITHMETIC(sign)                                                               \
  static inline bp_emulated_number operator sign(const bp_emulated_number &a,                      \
                                                 const bp_emulated_number &b)                      \
  {                                                                                                \
    bp_emulated_count_flops(1);                                                                    \
    return a.load() sign b.load();                                                                 \
  }                                                                                                \
  static inline bp_emulated_number &operator sign##=(bp_emulated_number &a,                        \
                                                     const bp_emulated_number &b)                  \
  {                                                                                                \
    bp_emulated_count_flops(1);                                                                    \
    return a = a.load() sign b.load();                                                             \
  }
#define BP_EMULATED_COMPARISON(sign)                                                               \
  static inline bool operator sign(const bp_emulated_number &a, const bp_emulated_number &b)       \
  {                                                                                                \
    return a.load() sign b.load();                                                                 \
  }
BP_EMULATED_ARITHMETIC(+)
BP_EMULATED_ARITHMETIC(-)
BP_EMULATED_ARITHMETIC(*)
BP_EMULATED_ARITHMETIC(/)
BP_EMULATED_COMPARISON(<)
BP_EMULATED_COMPARISON(>)
BP_EMULATED_COMPARISON(<=)
BP_EMULATED_COMPARISON(>=)
BP_EMULATED_COMPARISON(==)
BP_EMULATED_COMPARISON(!=)

static inline bp_emulated_number operator-(const bp_emulated_number &a)
{
  return -a.load();
}

static inline bp_emulated_real bp_emulated_fma(const bp_emulated_number &a,
                                               const bp_emulated_number &b,
                                               const bp_emulated_number &c)
{
  bp_emulated_count_flops(2);
  return __builtin_fma(a.load(), b.load(), c.load());
}

/* A power of 2 takes no arithmetic. */
static inline bp_emulated_number ldexp(const bp_emulated_number &a, int exponent)
{
  return __builtin_ldexp(a.load(), exponent);
}

#endif
