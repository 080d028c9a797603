/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * C++ without a library, on a board and on the host: templates, virtual calls,
 * a lambda, constructors, default arguments.
 */
static volatile unsigned sink;

template <unsigned LIMIT> static unsigned clipped(unsigned n) {
  if (n > LIMIT)
    return LIMIT;
  return n;
}

class shape {
public:
  virtual unsigned area() const = 0;
  unsigned doubled() const {
    return 2 * area();
  }
};

class square : public shape {
  unsigned side;

public:
  explicit square(unsigned n) : side(n) {
  }
  unsigned area() const override {
    return side * side;
  }
};

class line : public shape {
public:
  unsigned area() const override {
    return 0;
  }
  unsigned length(unsigned from, unsigned to = 9) const {
    if (to < from)
      return from - to;
    return to - from;
  }
};

template <typename FUNCTION> static void each(unsigned n, FUNCTION function) {
  for (unsigned i = 0; i < n; i++)
    function(i);
}

static unsigned never(unsigned n) {
  switch (n) {
  case 1:
    return 3;
  default:
    return n;
  }
}

extern "C" int main() {
  square four(4);
  line flat;
  const shape *all[] = {&four, &flat};
  for (unsigned i = 0; i < 2; i++)
    sink += all[i]->doubled();
  each(5, [](unsigned i) {
    if (i == 3)
      sink += clipped<2>(i);
    else
      sink += clipped<7>(i);
  });
  sink += flat.length(3);
  if (sink == 1)
    sink += never(sink);
  return 0;
}
