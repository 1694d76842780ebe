import { appendFileSync } from 'node:fs';
import { identifyProcess, PortBusyError } from '@pinkas/local-servers';
import { type Addresses, addressesOf, portNamesOf, preferredGatewayPort } from './addresses.js';
import type { StackConfig } from './config.js';
import { ensureDemo, readDemo } from './demo.js';
import { type Home, openHome, writeJson } from './home.js';
import { localParts } from './local-parts.js';
import { rotateLog } from './log-rotation.js';
import { Ports } from './ports.js';
import { frontPort } from './replicas.js';
import { endLeftovers, type RunState, takeHome } from './run-state.js';
import { ensureSecrets } from './secrets.js';
import { writeStackFile } from './stack-file.js';
import { PartFailedError, type PartState, Supervisor } from './supervisor.js';

const rotationEveryMs = 60_000;

/** A local system that this process runs. */
export interface Stack {
  home: Home;
  addresses: Addresses;
  /** Every part as it stands now. */
  states(): PartState[];
  /** Settles when all parts are ready; rejects when one cannot get ready. */
  ready: Promise<void>;
  /** Starts what rests, replaces what does not answer, and returns when all is ready or `timeoutMs` are over. */
  repair(): Promise<void>;
  /** Stops everything in order and gives the home back. Can be called again. */
  stop(): Promise<void>;
  /** Kills everything at once. */
  kill(): void;
}

async function choosePorts(config: StackConfig, home: Home): Promise<Ports> {
  try {
    return await Ports.choose(home, portNamesOf(config.replicas), {
      preferred: { [frontPort]: preferredGatewayPort },
      fixed: config.port === null ? {} : { [frontPort]: config.port },
    });
  } catch (error) {
    throw error instanceof PortBusyError
      ? new Error(`PINKAS_PORT=${error.port} cannot be had: ${error.message}`, { cause: error })
      : error;
  }
}

/**
 * Starts the local system of one home in this process.
 *
 * @param said - hears of what a person may want to know, such as a part that is started again.
 * @returns at once, while the parts get ready; wait for `ready`.
 * @throws HomeInUseError when another process runs this home; Error when `PINKAS_PORT` is taken.
 */
export async function startStack(config: StackConfig, said: (line: string) => void): Promise<Stack> {
  const home = openHome(config.home);
  const giveBack = takeHome(home);
  const log = home.logFile('supervisor');
  const tell = (line: string) => {
    appendFileSync(log, `${new Date().toISOString()} ${line}\n`, { mode: 0o600 });
    said(line);
  };
  try {
    rotateLog(log);
    const self = identifyProcess(process.pid);
    if (self === null) {
      throw new Error('this process cannot see itself in the process table');
    }
    const leftovers = await endLeftovers(home);
    if (leftovers.length > 0) {
      tell(`ended what an earlier run left behind: ${leftovers.join(', ')}`);
    }
    const secrets = await ensureSecrets(home);
    const ports = await choosePorts(config, home);
    const addresses = addressesOf(config, ports, secrets);

    const state: RunState = { supervisor: self, phase: 'starting', failure: null, repairs: 0, parts: [] };
    const supervisor: Supervisor = new Supervisor(
      localParts({
        config,
        home,
        ports,
        secrets,
        addresses,
        makeDemo: async (signal) => {
          // The operator's command finds the system through this file.
          writeStack();
          await ensureDemo(config, home, signal);
        },
      }),
      { changed: () => writeState(), said: tell },
    );
    const writeStack = () => writeStackFile(home, addresses, readDemo(home), supervisor.states());
    const writeState = () => {
      state.parts = supervisor.states();
      writeJson(home.runStateFile, state);
      if (state.phase !== 'starting') {
        writeStack();
      }
    };
    writeState();

    const ready = supervisor.start().then(
      () => {
        state.phase = 'ready';
        writeState();
        tell('ready');
      },
      (error: unknown) => {
        if (state.phase === 'starting') {
          state.phase = 'failed';
          state.failure = error instanceof PartFailedError ? error.failure : null;
          tell(`failed: ${error instanceof Error ? error.message : String(error)}`);
          writeState();
        }
        throw error;
      },
    );
    ready.catch(() => undefined);

    const rotation = setInterval(() => {
      for (const part of supervisor.states()) {
        rotateLog(part.log);
      }
    }, rotationEveryMs);
    rotation.unref();

    let stopping: Promise<void> | null = null;
    const stop = async () => {
      clearInterval(rotation);
      if (state.phase !== 'failed') {
        state.phase = 'stopping';
        writeState();
      }
      await supervisor.stop();
      await ports.releaseAll();
      if (state.phase === 'stopping') {
        state.phase = 'stopped';
      }
      writeState();
      tell('stopped');
      giveBack();
    };
    return {
      home,
      addresses,
      states: () => supervisor.states(),
      ready,
      repair: async () => {
        await supervisor.repair();
        state.repairs += 1;
        writeState();
      },
      stop: () => {
        stopping ??= stop();
        return stopping;
      },
      kill: () => supervisor.kill(),
    };
  } catch (error) {
    giveBack();
    throw error;
  }
}
