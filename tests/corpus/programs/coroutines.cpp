/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A coroutine: one function in three parts, whose counters are on both sides of
 * where it is suspended.
 *
 * flags: -std=c++20
 * llvm: 19
 */
namespace std {
template <class R, class...>
struct coroutine_traits {
  using promise_type = typename R::promise_type;
};
template <class P = void>
struct coroutine_handle {
  void *frame;
  static coroutine_handle from_address(void *at) { return {at}; }
  static coroutine_handle from_promise(P &promise) {
    return {__builtin_coro_promise(&promise, alignof(P), true)};
  }
};
} // namespace std

struct Wait {
  bool await_ready() noexcept { return false; }
  template <class H>
  void await_suspend(H) noexcept {}
  void await_resume() noexcept {}
};

struct Numbers {
  struct promise_type {
    int value = 0;
    Numbers get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this).frame,
              this};
    }
    Wait initial_suspend() noexcept { return {}; }
    Wait final_suspend() noexcept { return {}; }
    Wait yield_value(int n) { return value = n, Wait(); }
    void return_void() {}
    void unhandled_exception() {}
  };
  void *frame;
  promise_type *promise;
};

static Numbers numbers(int limit) {
  for (int i = 0; i < limit; i++)
    if (i % 3)
      co_yield i *i;
}

int main() {
  int sum = 0;
  Numbers made = numbers(10);
  for (__builtin_coro_resume(made.frame); !__builtin_coro_done(made.frame);
       __builtin_coro_resume(made.frame))
    sum += made.promise->value;
  __builtin_coro_destroy(made.frame);
  return sum & 63;
}
