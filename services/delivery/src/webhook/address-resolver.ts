import { Resolver } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';

/** Asks the DNS for the addresses of a name; `dns.lookup` would hold up a thread of the process for each. */
@Injectable()
export class AddressResolver {
  readonly #resolver = new Resolver({ timeout: 4_000 });

  /** Every address, of both kinds; none where the name does not resolve. */
  async resolve(host: string): Promise<readonly string[]> {
    const found = await Promise.allSettled([this.#resolver.resolve4(host), this.#resolver.resolve6(host)]);
    return found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  }
}
