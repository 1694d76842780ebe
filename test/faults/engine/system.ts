import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type StoreFault, storeProgram, TcpProxy, TestObjectStore } from '@pinkas/testkit';
import { RunningStack } from '../../harness/running-stack.js';
import { repositoryRoot } from '../../harness/sources.js';

const run = promisify(execFile);

/** The variable of services that leads to each server, and the name of the server's port. */
const ways: Readonly<Record<string, { variable: string; port: string }>> = {
  postgres: { variable: 'DATABASE_URL', port: 'postgres' },
  nats: { variable: 'NATS_URL', port: 'nats' },
  redis: { variable: 'REDIS_URL', port: 'redis' },
  gotenberg: { variable: 'GOTENBERG_URL', port: 'fault-proxy' },
  'tax-authority': { variable: 'TAX_AUTHORITY_URL', port: 'tax-authority' },
  mailbox: { variable: 'SMTP_URL', port: 'mailbox-smtp' },
  whatsapp: { variable: 'WHATSAPP_URL', port: 'whatsapp' },
};

/** Memory is used only for what is on a disk. The streams of NATS reserve more than they hold. */
const diskSize = '16g';
const folders = { postgres: 'data', nats: 'data/nats', logs: 'logs' } as const;
export type Disk = keyof typeof folders;

const faultsFolder = 'faults';
const preloadModule = join(repositoryRoot, 'test/faults/engine/preload.mjs');

/** A system with a proxy before each server, processes that die at an instant, clocks that can be wrong and disks that can be full. */
export class FaultSystem {
  private constructor(
    readonly stack: RunningStack,
    readonly proxies: ReadonlyMap<string, TcpProxy>,
    private readonly disks: Disks,
    private readonly store: TestObjectStore | undefined,
    /** How many processes of each service run. */
    readonly replicas: 1 | 2,
    /** How many times longer everything may take than on a machine of its own. */
    readonly patience: number,
  ) {}

  static async start({
    replicas = 1,
    layout = 'separate',
    patience = 1,
    wantsStore = false,
  }: {
    replicas?: 1 | 2;
    /** With one process for all services a fault of one is one of all. */
    layout?: 'one' | 'separate';
    patience?: number;
    /** Whether PDFs are in an object store, where this machine has one. */
    wantsStore?: boolean;
  } = {}): Promise<FaultSystem> {
    let home = '';
    const portOf = (name: string): number => JSON.parse(readFileSync(join(home, 'ports.json'), 'utf8'))[name];
    const proxies = new Map<string, TcpProxy>();
    const addresses: Record<string, string> = {};
    for (const [server, { variable, port }] of Object.entries(ways)) {
      const proxy = await TcpProxy.start(() => `tcp://127.0.0.1:${portOf(port)}`);
      proxies.set(server, proxy);
      addresses[variable] = proxy.address;
    }
    const disks = new Disks();
    const store = wantsStore && storeProgram !== null ? await TestObjectStore.start() : undefined;
    try {
      const stack = await RunningStack.start(
        {
          PINKAS_REPLICAS: String(replicas),
          PINKAS_LAYOUT: layout,
          PINKAS_PROXIES: JSON.stringify(addresses),
          PINKAS_PRELOAD: preloadModule,
        },
        async (folder) => {
          home = folder;
          await mkdir(join(folder, faultsFolder));
          // Alone, PostgreSQL gets another folder when it is restored.
          if (replicas > 1) {
            await disks.mount(folder);
          }
          return { STORM_FOLDER: join(folder, faultsFolder), ...store?.variables };
        },
      );
      return new FaultSystem(stack, proxies, disks, store, replicas, patience);
    } catch (error) {
      await stopAll(proxies, disks, store);
      throw error;
    }
  }

  /** Whether PDFs are in an object store. */
  get hasStore(): boolean {
    return this.store !== undefined;
  }

  /** What becomes of requests to the object store from now on. */
  set storeFault(fault: StoreFault) {
    if (this.store) {
      this.store.fault = fault;
    }
  }

  /** The proxy before a server. */
  proxy(server: string): TcpProxy {
    const proxy = this.proxies.get(server);
    if (!proxy) {
      throw new Error(`there is no proxy before ${server}`);
    }
    return proxy;
  }

  /** The processes of a service. */
  replicasOf(service: string): string[] {
    return [service, `${service}-2`].slice(0, this.replicas);
  }

  /** Where processes read what is to happen to them. */
  get faultsFolder(): string {
    return join(this.stack.home, faultsFolder);
  }

  /** Leaves no room on a disk. @returns what makes room again; null where this user may not mount. */
  fillDisk(disk: Disk): Promise<(() => Promise<void>) | null> {
    return this.disks.fill(disk);
  }

  /** @throws what {@link RunningStack.stop} throws. */
  async stop(): Promise<void> {
    try {
      await this.stack.stop(() => this.disks.unmount());
    } finally {
      await stopAll(this.proxies, this.disks, this.store);
    }
  }
}

async function stopAll(
  proxies: ReadonlyMap<string, TcpProxy>,
  disks: Disks,
  store: TestObjectStore | undefined,
): Promise<void> {
  await store?.stop();
  for (const proxy of proxies.values()) {
    await proxy.stop();
  }
  await disks.unmount();
}

/** File systems in memory, which can be made as small as what is on them. */
class Disks {
  readonly #mounted: string[] = [];
  #home: string | null = null;

  /** Mounts them in a home that is still empty, where this user may. */
  async mount(home: string): Promise<void> {
    try {
      const disk = ['-t', 'tmpfs', '-o', `size=${diskSize},mode=711`, 'tmpfs'];
      await this.#mount(join(home, folders.postgres), disk);
      // What is beside PostgreSQL stays on the home's own disk.
      for (const part of ['redis', 'mailbox', 'whatsapp', 'tax-authority', 'gotenberg']) {
        const own = join(home, 'other-data', part);
        await mkdir(own, { recursive: true });
        await this.#mount(join(home, 'data', part), ['--bind', own]);
      }
      await this.#mount(join(home, folders.nats), disk);
      await this.#mount(join(home, folders.logs), disk);
      this.#home = home;
    } catch {
      await this.unmount();
    }
  }

  async fill(disk: Disk): Promise<(() => Promise<void>) | null> {
    if (this.#home === null) {
      return null;
    }
    const folder = join(this.#home, folders[disk]);
    const resize = (size: string) => run('mount', ['-o', `remount,size=${size}`, folder]);
    // What is written in between lets the first try fail.
    for (let attempt = 0; ; attempt += 1) {
      const { stdout } = await run('df', ['--output=used', '-k', folder]);
      const usedKb = Number(stdout.split('\n')[1]);
      try {
        await resize(`${usedKb + 64 * attempt}k`);
        break;
      } catch (error) {
        if (attempt === 10) {
          throw error;
        }
      }
    }
    return async () => {
      await resize(diskSize);
    };
  }

  async unmount(): Promise<void> {
    this.#home = null;
    for (const folder of this.#mounted.splice(0).reverse()) {
      await run('umount', ['--lazy', folder]);
    }
  }

  async #mount(folder: string, args: readonly string[]): Promise<void> {
    await mkdir(folder, { recursive: true });
    await run('mount', [...args, folder]);
    this.#mounted.push(folder);
  }
}
