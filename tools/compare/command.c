/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Options, and two profiles.
 */
#include "command.h"

int compare_take(struct compare_arguments *arguments, int option,
                 const char *command) {
  switch (option) {
  case COMPARE_FUNCTION:
    arguments->function = optarg;
    return 0;
  case COMPARE_JSON:
    arguments->json = true;
    return 0;
  case COMPARE_ELF:
    arguments->elf = optarg;
    return 0;
  case 'o':
    arguments->out = optarg;
    return 0;
  default:
    return options_unknown(command);
  }
}

int compare_run(const struct compare_command *command, int argc, char **argv,
                struct compare_arguments *arguments) {
  const struct options *options = &command->options;
  struct pair pair;
  arguments->out = "-";
  int status = options_take(options, argc, argv, arguments);
  if (status >= 0)
    return status;
  if (argc - optind != SIDES)
    return options_wrong(options->command, "it takes two profiles, A and B");
  for (int i = 0; i < SIDES; i++)
    arguments->names[i] = argv[optind + i];
  status = pair_open(&pair, arguments->names, arguments->elf);
  if (!status)
    status = command->compare(arguments, &pair);
  pair_close(&pair);
  return status;
}
