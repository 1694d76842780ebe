import { type ParseArgsConfig, parseArgs } from 'node:util';

type Config = Omit<ParseArgsConfig, 'args' | 'strict' | 'tokens'>;

/** The options of a command of the tests. With `--help`, and where they are wrong, the process ends with the usage. */
export function commandOptions<const Of extends Config>(
  usage: string,
  config: Of,
): ReturnType<typeof parseArgs<Of>> {
  if (process.argv.includes('--help')) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    return refuseOptions(usage, error instanceof Error ? error.message : String(error));
  }
}

/** Ends the process with what is wrong with its options, and the usage. */
export function refuseOptions(usage: string, reason: string): never {
  process.stderr.write(`${reason}\n\n${usage}\n`);
  process.exit(2);
}
