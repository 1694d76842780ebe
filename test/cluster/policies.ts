import { serviceNames } from '@pinkas/contracts';
import type { Cluster, Pod } from './cluster.js';

/** Who connects: `-n pinkas deploy/pinkas-issuing`. */
interface Prober {
  name: string;
  pod: string;
  /** What the chart lets it connect to, by the name of the target. */
  allowed: readonly string[];
}

interface Target {
  name: string;
  host: string;
  port: number;
}

/** Connects to each of the addresses, for two seconds at most, and prints which it reached. */
const probe = `
import { connect } from 'node:net';
const targets = JSON.parse(process.argv[1]);
const reached = ({ host, port }) => new Promise((resolve) => {
  const socket = connect({ host, port, timeout: 2000 });
  const end = (result) => { socket.destroy(); resolve(result); };
  socket.on('connect', () => end(true)).on('error', () => end(false)).on('timeout', () => end(false));
});
const results = await Promise.all(targets.map(reached));
console.log(JSON.stringify(targets.filter((_, index) => results[index]).map(({ name }) => name)));
`;

const outsiders = {
  foreign: '-n default foreign',
  neighbour: '-n pinkas neighbour',
  ingress: '-n ingress-nginx caller',
};

/**
 * Checks which pod can connect where.
 * @param internet an address outside of the cluster that accepts connections at 443.
 * @returns how many pairs were tried, and those that differ from what the chart promises.
 */
export async function checkPolicies(
  cluster: Cluster,
  internet: string,
): Promise<{ tried: number; wrong: string[] }> {
  const address = async (component: string) => {
    const pods = await cluster.pods(component);
    return pods.find(({ status }) => status.podIP)?.status.podIP ?? '';
  };
  const [primary] = await cluster.list<Pod>(
    'pods -n pinkas -l cnpg.io/cluster=pinkas-postgres,cnpg.io/instanceRole=primary',
  );
  const targets: Target[] = [
    { name: 'gateway', host: await address('gateway'), port: 8080 },
    { name: 'console', host: await address('console'), port: 8090 },
    ...(await Promise.all(
      [...serviceNames, 'printer'].map(async (name) => ({
        name: `health of ${name}`,
        host: await address(name),
        port: 9101,
      })),
    )),
    ...[4222, 6222, 8222].map((port) => ({ name: `NATS ${port}`, host: '', port })),
    { name: 'Redis', host: await address('redis'), port: 6379 },
    { name: 'printer', host: await address('printer'), port: 3000 },
    { name: 'PostgreSQL', host: primary?.status.podIP ?? '', port: 5432 },
    { name: 'API of Kubernetes', host: 'kubernetes.default', port: 443 },
    { name: 'internet 443', host: internet, port: 443 },
  ];
  const nats = await address('nats');
  for (const target of targets) {
    target.host ||= nats;
  }
  const probers: Prober[] = [
    {
      name: 'pod of another namespace',
      pod: outsiders.foreign,
      allowed: ['API of Kubernetes', 'internet 443'],
    },
    { name: 'pod without labels', pod: outsiders.neighbour, allowed: ['API of Kubernetes', 'internet 443'] },
    {
      name: 'ingress controller',
      pod: outsiders.ingress,
      allowed: ['gateway', 'console', 'API of Kubernetes', 'internet 443'],
    },
    ...serviceNames.map((name) => ({
      name,
      pod: `-n pinkas deploy/pinkas-${name} -c ${name}`,
      allowed: [
        'NATS 4222',
        'PostgreSQL',
        ...(name === 'gateway' ? ['Redis'] : []),
        ...(name === 'rendering' ? ['printer'] : []),
        ...(name === 'allocation' || name === 'delivery' ? ['internet 443'] : []),
      ],
    })),
    { name: 'printer', pod: '-n pinkas deploy/pinkas-printer', allowed: [] },
    { name: 'operator', pod: '-n pinkas deploy/pinkas-operator', allowed: ['NATS 4222', 'gateway'] },
  ];
  const wrong: string[] = [];
  for (const { name, pod, allowed } of probers) {
    // A pod reaches itself at its address, whatever the policies say.
    const tried = targets.filter((target) => !target.name.endsWith(name) && target.name !== name);
    const { done } = cluster.script(pod, probe, [JSON.stringify(tried)]);
    const reached = JSON.parse(await done) as string[];
    for (const target of tried) {
      if (reached.includes(target.name) !== allowed.includes(target.name)) {
        wrong.push(`${name} ${reached.includes(target.name) ? 'reaches' : 'does not reach'} ${target.name}`);
      }
    }
  }
  return { tried: probers.length * targets.length, wrong };
}
