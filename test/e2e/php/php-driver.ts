import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { RetryOptions } from '@pinkas/client';
import { repositoryRoot } from '../../harness/sources.js';

const packageFolder = join(repositoryRoot, 'packages/client-php');

/** What a program of PHP is asked; `packages/client-php/tests/driver.php` reads it. */
export interface PhpCall {
  readonly do: 'call' | 'verify' | 'money' | 'woocommerce';
  readonly method?: string;
  readonly arguments?: readonly unknown[];
  /** How many items of an iterator are taken; default: all. */
  readonly take?: number;
  readonly options?: {
    readonly baseUrl?: string;
    readonly apiKey?: string;
    readonly timeoutMs?: number;
    readonly retry?: RetryOptions;
    /** The clock stands at this instant, and waits pass at once. */
    readonly nowMs?: number;
    readonly http?: 'psr18';
    readonly throws?: boolean;
    readonly dump?: boolean;
  };
}

/** What the call came to. */
export interface PhpResult {
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect.
  readonly ok?: any;
  readonly error?: Readonly<Record<string, unknown>>;
  readonly waits: readonly number[];
  readonly facts: readonly Readonly<Record<string, unknown>>[];
  readonly dump?: string;
}

/** Writes what Composer would: the loader of the package and of Guzzle. @returns the options of PHP that find it. */
export async function phpOptions(folder: string): Promise<string[]> {
  await mkdir(join(folder, 'vendor'), { recursive: true });
  await writeFile(
    join(folder, 'vendor/autoload.php'),
    `<?php
require_once 'GuzzleHttp/autoload.php';
spl_autoload_register(function (string $class): void {
    $file = '${packageFolder}/src/' . strtr(substr($class, strlen('Pinkas\\\\')), '\\\\', '/') . '.php';
    if (str_starts_with($class, 'Pinkas\\\\') && is_file($file)) {
        require $file;
    }
});
`,
  );
  return [
    `include_path=${folder}:/usr/share/php`,
    'error_reporting=-1',
    'display_errors=stderr',
    // The least favourable settings that a host may have.
    'serialize_precision=17',
    'disable_functions=ini_set',
    'zend.exception_ignore_args=0',
  ].flatMap((option) => ['-d', option]);
}

/** A running program of PHP that makes calls with the client. */
export class PhpDriver {
  readonly #child: ChildProcess;
  readonly #waiting: ((line: string) => void)[] = [];
  #errors = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#errors += chunk;
    });
    createInterface(child.stdout as NodeJS.ReadableStream).on('line', (line) =>
      this.#waiting.shift()?.(line),
    );
    child.once('exit', () => {
      for (const end of this.#waiting.splice(0)) {
        end('null');
      }
    });
  }

  static async start(folder: string): Promise<PhpDriver> {
    const args = [...(await phpOptions(folder)), join(packageFolder, 'tests/driver.php')];
    return new PhpDriver(spawn('php', args, { stdio: ['pipe', 'pipe', 'pipe'] }));
  }

  /** @throws where PHP ended, or had anything to warn of. */
  async ask(asked: PhpCall): Promise<PhpResult> {
    const line = await new Promise<string>((resolve) => {
      this.#waiting.push(resolve);
      this.#child.stdin?.write(`${JSON.stringify(asked)}\n`);
    });
    if (line === 'null' || this.#errors !== '') {
      throw new Error(`PHP: ${this.#errors}`);
    }
    return { waits: [], facts: [], ...(JSON.parse(line) as Partial<PhpResult>) };
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }
}
