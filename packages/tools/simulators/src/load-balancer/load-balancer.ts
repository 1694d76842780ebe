import { connect, createServer, type Socket } from 'node:net';
import { timeoutSignal } from '@pinkas/service-kit/concurrency';
import { type Listen, type RunningSimulator, sendJson, serveHttp } from '../http.js';

/** How often each replica is asked whether it is ready, and how long its answer is waited for. */
const probeEveryMs = 200;
const probeTimeoutMs = 2_000;

/** One replica behind the balancer. */
export interface Replica {
  readonly host: string;
  readonly port: number;
  /** GET answers 200 while it may be given connections. */
  readonly readyUrl: string;
}

/** How the balancer runs. */
interface LoadBalancerOptions {
  /** Where callers connect. */
  readonly front: Listen;
  /** Where `GET /health` lists the replicas that are given connections. */
  readonly health: Listen;
  readonly replicas: readonly Replica[];
}

/** Keeps a replica among the ready ones for as long as it reports that it is. */
async function probe(replica: Replica, ready: Set<Replica>, ended: AbortSignal): Promise<void> {
  const answer = await fetch(replica.readyUrl, { signal: timeoutSignal(probeTimeoutMs) }).catch(() => null);
  await answer?.arrayBuffer().catch(() => undefined);
  if (ended.aborted) {
    return;
  }
  if (answer?.ok) {
    ready.add(replica);
  } else {
    ready.delete(replica);
  }
  setTimeout(() => void probe(replica, ready, ended), probeEveryMs).unref();
}

/**
 * Replaces a Service of Kubernetes: one address, behind it the replicas that are ready. It carries bytes and knows no
 * HTTP: each new connection goes to one of them and stays there, also when that replica is taken out; a connection that a
 * replica refuses is refused, and nothing is tried again.
 */
export async function startLoadBalancer(options: LoadBalancerOptions): Promise<RunningSimulator> {
  const ready = new Set<Replica>();
  const open = new Set<Socket>();
  let turn = 0;

  // Each side may end its half first, as over a single connection.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (caller) => {
    turn += 1;
    const replica = [...ready][turn % Math.max(1, ready.size)];
    if (!replica) {
      return void caller.resetAndDestroy();
    }
    const behind = connect({ host: replica.host, port: replica.port, allowHalfOpen: true, noDelay: true });
    join(caller, behind);
    join(behind, caller);
  });

  function join(from: Socket, to: Socket): void {
    open.add(from);
    from.on('close', () => open.delete(from));
    from.on('error', () => to.resetAndDestroy());
    from.pipe(to);
  }

  const probes = new AbortController();
  await Promise.all(options.replicas.map((replica) => probe(replica, ready, probes.signal)));

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.front.port, options.front.host, resolve);
  });
  const health = await serveHttp(options.health, async (_request, response) =>
    sendJson(response, ready.size > 0 ? 200 : 503, {
      ready: options.replicas.filter((replica) => ready.has(replica)).map(({ readyUrl }) => readyUrl),
    }),
  );
  return {
    url: health.url,
    async close() {
      probes.abort();
      server.close();
      for (const socket of open) {
        socket.destroy();
      }
      await health.close();
    },
  };
}
