import { serviceNames } from '@pinkas/contracts';
import { serviceFields } from '@pinkas/service-kit/schema';

/** Migrations, the operator's command, tests, and whoever looks in. */
const beside = 104;

/** How many connections the local PostgreSQL takes: all that the services may open with so many replicas, and some more. */
export function databaseConnectionsMax(replicas: number): number {
  return replicas * serviceNames.length * (serviceFields.databasePoolSize.fallback ?? 0) + beside;
}
