import { type ServiceName, serviceNames } from '@pinkas/contracts';

/** One process of a service. */
export interface Replica {
  service: ServiceName;
  /** `issuing`, `issuing-2`, `issuing-3`: the name of its part, its log and its health port. */
  name: string;
  /** The name of the port of the HTTP API; null for every service except the gateway. */
  httpPort: string | null;
}

/** The port on which callers reach the HTTP API. */
export const frontPort = 'gateway-http';

/** The processes of all services, `count` of each. A single gateway listens on the front port itself. */
export function replicasOf(count: number): Replica[] {
  return serviceNames.flatMap((service) =>
    Array.from({ length: count }, (_, index): Replica => {
      const ownPort = count === 1 ? frontPort : `${frontPort}-${index + 1}`;
      return {
        service,
        name: index === 0 ? service : `${service}-${index + 1}`,
        httpPort: service === 'gateway' ? ownPort : null,
      };
    }),
  );
}
