import { fileURLToPath } from 'node:url';

/** The simulators, each a program of its own. */
export const simulatorNames = [
  'fault-proxy',
  'load-balancer',
  'mailbox',
  'tax-authority',
  'whatsapp',
] as const;

/** One of them. */
export type SimulatorName = (typeof simulatorNames)[number];

/** The absolute path of a simulator's built program, for a Node process. Its `main.ts` names the variables that it reads. */
export function simulatorProgram(name: SimulatorName): string {
  return fileURLToPath(new URL(`../dist/${name}/main.js`, import.meta.url));
}
