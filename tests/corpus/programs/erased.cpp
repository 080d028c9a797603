/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Type erasure by hand: a table of pointers to functions for each type, called
 * at one site.
 */
class Task {
  struct Table {
    int (*run)(void *, int);
    void (*drop)(void *);
  };
  template <class F>
  static const Table table;
  void *object;
  const Table *functions;

public:
  template <class F>
  Task(F f) : object(new F(f)), functions(&table<F>) {}
  Task(const Task &) = delete;
  ~Task() { functions->drop(object); }
  int operator()(int n) { return functions->run(object, n); }
};

template <class F>
const Task::Table Task::table = {
    [](void *object, int n) { return (*static_cast<F *>(object))(n); },
    [](void *object) { delete static_cast<F *>(object); }};

int main() {
  int by = 7;
  Task tasks[] = {[](int n) { return n + 1; },
                  [by](int n) { return n > by ? n - by : by; },
                  [](int n) { return n & 1 ? 3 * n : n / 2; }};
  int sum = 0;
  for (int i = 0; i < 15; i++)
    sum += tasks[i % 3](i);
  return sum & 63;
}
