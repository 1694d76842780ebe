import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const run = promisify(execFile);
const program = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const migration = fileURLToPath(new URL('../dist/migrate.js', import.meta.url));

/** What a program that cannot start logs, and its exit code. */
async function failureOf(entry: string, env: Record<string, string>) {
  const failed = await run(process.execPath, [entry], { env, timeout: 30_000 }).then(
    () => ({ code: 0, stdout: '' }),
    (error: { code: number; stdout: string }) => error,
  );
  return { code: failed.code, log: failed.stdout };
}

describe('the services in one process', () => {
  it('a service that lacks a variable ends the process, which names both', async () => {
    const { code, log } = await failureOf(program, { HEALTH_PORT: '0' });
    expect(code).toBe(1);
    expect(log).toContain('gateway, whose variables may begin with GATEWAY_');
    expect(log).toContain('REDIS_URL is not set');
  });

  it('the program that draws logos is part of the build', async () => {
    const drawing = fork(fileURLToPath(new URL('../dist/logo/rasterizer-process.js', import.meta.url)), [], {
      env: {},
      execArgv: [],
      serialization: 'advanced',
    });
    const bytes = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="30" height="10"/></svg>',
    );
    const exited = once(drawing, 'exit').then(() => ['it has ended']);
    drawing.send({ format: 'svg', bytes });
    const [reply] = await Promise.race([once(drawing, 'message'), exited]);
    expect(reply).toMatchObject({ logo: { mediaType: 'image/png', width: 460, height: 230 } });
  });

  it('a migration of all databases fails where one has no address', async () => {
    const { code, log } = await failureOf(migration, {});
    expect(code).toBe(1);
    expect(log).toMatch(/"service":"allocation".*MIGRATION_DATABASE_URL is not set/);
  });
});
