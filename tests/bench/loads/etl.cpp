// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workload: the Embedded Template Library in a made-up node: a queue of
// readings, a map of the latest by channel, a sorted vector for the median, a
// line of text with a CRC, and a state machine that handles the events.
#define ETL_NO_STL
#define ETL_NO_CHECKS
#include "forms.h"

#include "etl/algorithm.h"
#include "etl/crc32.h"
#include "etl/delegate.h"
#include "etl/fsm.h"
#include "etl/map.h"
#include "etl/queue.h"
#include "etl/string.h"
#include "etl/to_string.h"
#include "etl/unordered_map.h"
#include "etl/vector.h"

// Virtual destructors name it; nothing here is on a heap.
void operator delete(void *, unsigned) noexcept {}

namespace {

struct Reading {
  int channel;
  int value;
};

enum { START = 1, STOP, TICK };
struct Start : etl::message<START> {};
struct Stop : etl::message<STOP> {};
struct Tick : etl::message<TICK> {};

struct Machine : etl::fsm {
  Machine() : etl::fsm(1) {}
  unsigned ticks = 0;
};

struct Idle : etl::fsm_state<Machine, Idle, 0, Start> {
  etl::fsm_state_id_t on_event(const Start &) { return 1; }
  etl::fsm_state_id_t on_event_unknown(const etl::imessage &) {
    return No_State_Change;
  }
};

struct Running : etl::fsm_state<Machine, Running, 1, Stop, Tick> {
  etl::fsm_state_id_t on_event(const Stop &) { return 0; }
  etl::fsm_state_id_t on_event(const Tick &) {
    return ++get_fsm_context().ticks % 5 ? No_State_Change : 0;
  }
  etl::fsm_state_id_t on_event_unknown(const etl::imessage &) {
    return No_State_Change;
  }
};

Machine machine;
Idle idle;
Running running;
etl::ifsm_state *states[] = {&idle, &running};

int scale(int value) { return value > 100 ? 100 : value * 3 / 2; }

void events() {
  machine.set_states(states, 2);
  machine.start();
  for (int i = 0; i < 40; i++) {
    if (i % 7 == 0)
      machine.receive(Start());
    else if (i % 11 == 3)
      machine.receive(Stop());
    else
      machine.receive(Tick());
  }
}

int readings() {
  etl::queue<Reading, 8> queue;
  etl::map<int, int, 16> latest;
  etl::unordered_map<int, int, 16> changes;
  etl::vector<int, 64> sorted;
  etl::delegate<int(int)> adjust = etl::delegate<int(int)>::create<scale>();
  for (int i = 0; i < 60; i++) {
    queue.push({i * 17 % 11, i * 37 % 101});
    if (i % 3 == 0)
      continue;
    while (!queue.empty()) {
      Reading reading = queue.front();
      queue.pop();
      if (!sorted.full())
        sorted.push_back(adjust(reading.value));
      latest[reading.channel] = reading.value;
      changes[reading.channel]++;
    }
  }
  for (int i = 0; i < 4; i++)
    latest.erase(i * 3);
  etl::sort(sorted.begin(), sorted.end());
  int sum = sorted[sorted.size() / 2];
  for (const auto &entry : latest)
    sum += entry.second;
  for (int i = 0; i < 20; i++) {
    auto found = changes.find(i);
    if (found != changes.end())
      sum += found->second;
  }
  return sum;
}

uint32_t text(int number) {
  etl::string<48> line("node ");
  etl::string<12> digits;
  etl::to_string(number, digits);
  line.append(digits).append(" ok").insert(0, "> ");
  if (line.find("ok") != etl::string<48>::npos)
    line.replace(0, 1, "$");
  return etl::crc32(line.begin(), line.end());
}

volatile uint32_t result;

} // namespace

void work(void) {
  events();
  result = text(readings());
}
