import { type ServiceName, serviceNames } from '@pinkas/contracts';

/** One process of a service. */
export interface Replica {
  service: ServiceName;
  /** `issuing`, `issuing-2`, `issuing-3`: the name of its part, its log and its health port. */
  name: string;
  /** The name of the port that it serves HTTP on; null for a service that no one reaches over HTTP. */
  httpPort: string | null;
}

/** The ports on which callers reach the HTTP API, and browsers the console. */
export const frontPorts = { gateway: 'gateway-http', console: 'console-http' } as const;

/** A service that is reached over HTTP. */
export type HttpService = keyof typeof frontPorts;

export const httpServices = Object.keys(frontPorts) as HttpService[];

/** The name of the load balancer in front of several processes of a service. */
export function balancerOf(service: HttpService): string {
  return service === 'gateway' ? 'load-balancer' : `${service}-load-balancer`;
}

function isHttpService(service: ServiceName): service is HttpService {
  return service in frontPorts;
}

/** The processes of all services, `count` of each. A single process of an HTTP service listens on the front port itself. */
export function replicasOf(count: number): Replica[] {
  return serviceNames.flatMap((service) =>
    Array.from({ length: count }, (_, index): Replica => {
      const frontPort = isHttpService(service) ? frontPorts[service] : null;
      const ownPort = count === 1 ? frontPort : `${frontPort}-${index + 1}`;
      return {
        service,
        name: index === 0 ? service : `${service}-${index + 1}`,
        httpPort: frontPort === null ? null : ownPort,
      };
    }),
  );
}
