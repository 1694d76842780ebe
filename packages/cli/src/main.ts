#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { errorText, exitCodeOf } from './builder/usage-error.js';
import { findNatsUrl } from './config.js';
import { runCommand } from './run-command.js';

// Exports of large books make much garbage, for which V8 would let the heap grow (ADR 0054).
setFlagsFromString('--semi-space-growth-factor=1');
setFlagsFromString('--optimize-for-size');
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
  process.stderr.write(`${errorText(error, process.argv.includes('--json'))}\n`);
  process.exitCode = exitCodeOf(error);
}
