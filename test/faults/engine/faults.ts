import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { eventually, type StoreFault } from '@pinkas/testkit';
import { sql } from 'kysely';
import { DatabaseAdministrator } from '../../harness/database-administrator.js';
import { childrenOf, freeze } from '../../harness/processes.js';
import { type KillPointName, killPoints } from './kill-points.js';
import type { Disk, FaultSystem } from './system.js';

/** The target of a fault. */
interface Aim {
  /** A process, a kill point, a proxied server, a disk or a simulator, by the kind. */
  target: string;
  /** What the kind needs beyond: a simulator's mode, an offset of a clock in seconds. */
  value?: string;
}

export interface Fault extends Aim {
  kind: FaultKind;
}

/** Ends a fault; the system is whole when it returns. */
export type Heal = () => Promise<void>;

/** A process that receives SIGTERM ends within its grace period, and another is ready soon after. */
const restartMs = 120_000;
/** Callers send what leads to each kill point several times a minute, once no other fault lasts. */
const reachedWithinMs = 180_000;
/** Processes look this often, and once more, for a point at which they are to die. */
const armMs = 400;
const trickleBytesPerS = 2_000;
const delayMs = 200;
/** How often a session of PostgreSQL is ended. */
const terminateEveryMs = 200;
const simulators: Record<string, 'gotenberg' | 'tax_authority' | 'whatsapp' | 'mailbox'> = {
  gotenberg: 'gotenberg',
  'tax-authority': 'tax_authority',
  mailbox: 'mailbox',
  whatsapp: 'whatsapp',
};

type Applier = (system: FaultSystem, aim: Aim) => Promise<Heal | null>;

/** Applies a fault. @returns what ends it; null where this machine does not allow the fault. */
export function applyFault(system: FaultSystem, fault: Fault): Promise<Heal | null> {
  return appliers[fault.kind](system, fault);
}

const appliers = {
  kill: (system, { target }) => signal(system, target, 'SIGKILL'),

  'kill at': async (system, { target }) => {
    const { faultsFolder, patience, stack } = system;
    const { service, ...point } = killPoints[target as KillPointName];
    const armed = join(faultsFolder, `kill-${service}`);
    // Processes look for it at any time.
    await writeFile(`${armed}.unfinished`, JSON.stringify(point));
    await rename(`${armed}.unfinished`, armed);
    await pass(armMs);
    return async () => {
      try {
        const killed = await eventually(
          `a process dies at ${target}`,
          async () => (await readdir(faultsFolder)).find((name) => name.startsWith(`killed-${service}-`)),
          reachedWithinMs * patience,
        );
        await rm(join(faultsFolder, killed));
        const pid = Number(killed.split('-').at(-1));
        for (const name of system.replicasOf(service)) {
          await stack.awaitRestart(name, pid, restartMs * patience);
        }
      } finally {
        await rm(armed, { force: true });
      }
    };
  },

  terminate: async (system, { target }) => {
    const heal = await signal(system, target, 'SIGTERM');
    if (target !== 'postgres') {
      return heal;
    }
    // PostgreSQL waits for its sessions, which services keep.
    return async () => {
      await system.stack.kill(target, 'SIGINT').catch(() => undefined);
      await heal();
    };
  },

  'immediate shutdown': (system, { target }) => signal(system, target, 'SIGQUIT'),

  stop: async ({ stack }, { target }) => {
    const thaw = await freeze(stack, [target]);
    return async () => thaw();
  },

  'rolling restart': async (system, { target }) => {
    for (const name of system.replicasOf(target)) {
      await (await signal(system, name, 'SIGTERM'))();
      await system.stack.awaitBalanced(name);
    }
    return async () => {};
  },

  swallow: async (system, { target }) => {
    system.proxy(target).cut();
    return async () => system.proxy(target).forward();
  },

  delay: async (system, { target }) => {
    system.proxy(target).slow({ delayMs });
    return async () => system.proxy(target).forward();
  },

  trickle: async (system, { target }) => {
    system.proxy(target).slow({ bytesPerS: trickleBytesPerS });
    return async () => system.proxy(target).forward();
  },

  reset: async (system, { target }) => {
    system.proxy(target).reset();
    return async () => {};
  },

  'cut after commit': async (system, { target }) => {
    system.proxy(target).breakCommits('answer lost');
    return async () => system.proxy(target).forward();
  },

  'cut before commit': async (system, { target }) => {
    system.proxy(target).breakCommits('lost');
    return async () => system.proxy(target).forward();
  },

  'kill a backend': async ({ stack }, { target }) => {
    const administrator = await DatabaseAdministrator.connect(stack);
    try {
      const [session] = await administrator.read<{ pid: number }>(
        'issuing',
        sql`select pid from pg_stat_activity where application_name like 'pinkas-%' limit 1`,
      );
      const children = childrenOf(await stack.pidOf(target));
      if (session && children.includes(session.pid)) {
        process.kill(session.pid, 'SIGKILL');
      }
    } finally {
      await administrator.close();
    }
    return async () => {};
  },

  'terminate backends': async ({ stack }) => {
    const administrator = await DatabaseAdministrator.connect(stack);
    let isOver = false;
    const terminating = (async () => {
      while (!isOver) {
        await administrator
          .change(
            'issuing',
            sql`select pg_terminate_backend(pid) from pg_stat_activity
              where application_name like 'pinkas-%' order by random() limit 1`,
          )
          .catch(() => undefined);
        await pass(terminateEveryMs);
      }
    })();
    return async () => {
      isOver = true;
      await terminating;
      await administrator.close();
    };
  },

  wipe: async (system, { target }) => {
    const { stack } = system;
    // What it holds in memory must not be written again.
    const thaw = await freeze(stack, [target]);
    const store = join(stack.home, 'data', target);
    for (const entry of await readdir(store)) {
      await rm(join(store, entry), { recursive: true, force: true });
    }
    const heal = await signal(system, target, 'SIGKILL');
    thaw();
    return heal;
  },

  'full disk': async (system, { target }) => {
    const { patience, stack } = system;
    const makeRoom = await system.fillDisk(target as Disk);
    if (makeRoom === null || target === 'logs') {
      return makeRoom;
    }
    return async () => {
      await makeRoom();
      // NATS 2.9 answers no more connections that publish after a failed write; the liveness probe of the chart restarts it.
      if (target === 'nats') {
        await (await signal(system, target, 'SIGKILL'))();
      }
      await eventually(`${target} runs`, async () => (await stack.pidOf(target)) > 0, restartMs * patience);
    };
  },

  clock: async ({ faultsFolder, stack }, { target, value }) => {
    const file = join(faultsFolder, String(await stack.pidOf(target)));
    await writeFile(file, value ?? '');
    return () => rm(file);
  },

  simulator: async ({ stack }, { target, value }) => {
    const simulator = simulators[target] as (typeof simulators)[string] & string;
    const setMode = (mode: object) =>
      eventually(`${target} takes a mode`, async () => {
        await stack.setMode(simulator, mode);
        return true;
      });
    await setMode(JSON.parse(value ?? '{}'));
    return async () => void (await setMode({}));
  },

  'object store': async (system, { value }) => {
    system.storeFault = value as StoreFault;
    return async () => {
      system.storeFault = 'none';
    };
  },
} satisfies Record<string, Applier>;

export type FaultKind = keyof typeof appliers;

/** Signals a process that ends of it. */
async function signal({ patience, stack }: FaultSystem, part: string, name: NodeJS.Signals): Promise<Heal> {
  const before = await stack.pidOf(part);
  process.kill(before, name);
  return () => stack.awaitRestart(part, before, restartMs * patience);
}
