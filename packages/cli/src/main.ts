#!/usr/bin/env node
import { answer } from './answer.js';
import { findNatsUrl } from './config.js';
import { refusalLine } from './refusal.js';

// A reader such as `head` may close the pipe before everything is written.
process.stdout.on('error', () => process.exit(0));
try {
  const { text, failure } = await answer(process.argv.slice(2), findNatsUrl);
  process.stdout.write(`${text}\n`);
  if (failure !== undefined) {
    process.stderr.write(`${failure}\n`);
    process.exitCode = 1;
  }
} catch (error) {
  process.stderr.write(`${refusalLine(error)}\n`);
  process.exitCode = 1;
}
