#!/usr/bin/env node
import { findNatsUrl } from './config.js';
import { runCommand } from './run-command.js';
import { errorLine, exitCodeOf } from './usage-error.js';

// A reader such as `head` may close the pipe before everything is written.
process.stdout.on('error', () => process.exit(0));
try {
  const { text, failure } = await runCommand(process.argv.slice(2), findNatsUrl);
  process.stdout.write(`${text}\n`);
  if (failure !== undefined) {
    process.stderr.write(`${failure}\n`);
    process.exitCode = 1;
  }
} catch (error) {
  process.stderr.write(`${errorLine(error)}\n`);
  process.exitCode = exitCodeOf(error);
}
