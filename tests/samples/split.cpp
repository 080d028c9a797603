// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For -hot-cold-split: what sets up static objects is split off, with the
// constructors that are inlined there.
namespace {
struct gauge {
  int zero;
  explicit gauge(int at) : zero(at) {}
  virtual int read(int raw) const { return raw - zero; }
};
struct scaled : gauge {
  int factor;
  scaled(int at, int by) : gauge(at), factor(by) {}
  int read(int raw) const override { return gauge::read(raw) * factor; }
};
}
extern "C" int work(int raw, unsigned which) {
  static const gauge plain(3);
  static const scaled by_two(3, 2), by_five(1, 5);
  static const gauge *const all[] = {&plain, &by_two, &by_five};
  return all[which % 3]->read(raw);
}
volatile int port;
int main() { return work(port, 1) + work(port, 2); }
