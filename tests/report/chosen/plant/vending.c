/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plant.h"

#include <stdio.h>
#include <string.h>

static const struct {
  const char *name;
  int price;
} goods[] = {
    {"water", 100},
    {"tea", 150},
    {"coffee", 220},
};

static const char coin_letters[] = "cdqu";
static const int coins[] = {10, 20, 50, 100};

static void give_change(int money) {
  fputs("change", stdout);
  for (int i = 3; i >= 0; i--)
    while (money >= coins[i]) {
      printf(" %d", coins[i]);
      money -= coins[i];
    }
  putchar('\n');
}

int run_vending(const char *events) {
  int money = 0, sold = 0;
  for (; *events; events++) {
    const char *coin = strchr(coin_letters, *events);
    if (coin) {
      money += coins[coin - coin_letters];
      continue;
    }
    if (*events == 'r') {
      give_change(money);
      money = 0;
      continue;
    }
    int choice = *events - '0';
    if (choice < 0 || choice > 2) {
      puts("no such button");
      return 1;
    }
    if (money < goods[choice].price) {
      printf("%d more for %s\n", goods[choice].price - money,
             goods[choice].name);
      continue;
    }
    money -= goods[choice].price;
    sold++;
    printf("one %s\n", goods[choice].name);
  }
  printf("%d sold, %d left\n", sold, money);
  return 0;
}
