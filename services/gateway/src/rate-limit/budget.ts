import { isIPv6 } from 'node:net';
import type { ApiKey } from '@pinkas/contracts';

/** Who spends, and how many requests a minute. */
export interface Budget {
  readonly id: string;
  readonly perMinute: number;
}

/** What is left of a budget after one more request. */
export interface Allowance {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Until the next minute begins. */
  readonly resetSeconds: number;
}

/** Requests a minute of one address without a valid key; pages and the error catalogue share it. */
const addressPerMinute = 60;
const minuteMs = 60_000;

/** The budget of a key. */
export function keyBudget(key: ApiKey): Budget {
  return { id: `key:${key.id}`, perMinute: key.per_minute };
}

/** The budget of a client without a valid key. An IPv6 client owns a whole /64, so that is what is counted. */
export function addressBudget(address: string): Budget {
  return { id: `address:${networkOf(address)}`, perMinute: addressPerMinute };
}

function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  const plain = address.replace(/%.*$/, '');
  if (!isIPv6(plain)) return address;
  const [head = '', tail] = plain.split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after.length);
  const whole = [...groups, ...Array<string>(zeros).fill('0'), ...after];
  return `${whole
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

/** The wall-clock minute of an instant: the window in which requests are counted together. */
export function minuteOf(now: Date): number {
  return Math.floor(now.getTime() / minuteMs);
}

/** What the count of a minute means for the request that made it. */
export function allowanceOf(budget: Budget, count: number, now: Date): Allowance {
  return {
    allowed: count <= budget.perMinute,
    limit: budget.perMinute,
    remaining: Math.max(0, budget.perMinute - count),
    resetSeconds: Math.ceil(((minuteOf(now) + 1) * minuteMs - now.getTime()) / 1000),
  };
}
