import { serviceNames } from '@pinkas/contracts';
import { serviceFields } from '@pinkas/service-kit/schema';

/** Connections for migrations, the operator's command, tests and manual queries. */
const extraConnections = 104;

/** The `max_connections` of the local PostgreSQL: the pools of all replicas, and some more. */
export function databaseConnectionsMax(replicas: number): number {
  return replicas * serviceNames.length * (serviceFields.databasePoolSize.fallback ?? 0) + extraConnections;
}
