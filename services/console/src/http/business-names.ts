import { Injectable } from '@nestjs/common';
import { showBusiness } from '@pinkas/contracts';
import { ApiError, type Clock, InjectClock, RpcClient } from '@pinkas/service-kit';
import type { Membership } from '../session/session.repository.js';

/** A business that a person may use, for the switch in the head of a page. */
export interface NamedBusiness {
  readonly id: string;
  readonly name: string;
}

/** A name that has changed is shown after this long at the latest. */
const keptMs = 60_000;
const keptMax = 2_000;
/** The others are on the first page of the person. */
const namesMax = 12;

/** The names of the businesses of a person: those that were read a moment ago are not read again for each page. */
@Injectable()
export class BusinessNames {
  readonly #kept = new Map<string, { readonly name: string; readonly until: number }>();

  constructor(
    private readonly rpc: RpcClient,
    @InjectClock() private readonly clock: Clock,
  ) {}

  /** Those of the memberships, of which a person with one has none to switch to. */
  async of(memberships: readonly Membership[]): Promise<NamedBusiness[]> {
    if (memberships.length < 2) {
      return [];
    }
    const named = await Promise.all(
      memberships.slice(0, namesMax).map(async ({ businessId: id }) => {
        const name = await this.#nameOf(id);
        return name === null ? [] : [{ id, name }];
      }),
    );
    return named.flat();
  }

  async #nameOf(id: string): Promise<string | null> {
    const now = this.clock.now().getTime();
    const kept = this.#kept.get(id);
    if (kept && kept.until > now) {
      return kept.name;
    }
    try {
      const { business } = await this.rpc.call(showBusiness, { business_id: id });
      if (this.#kept.size >= keptMax) {
        this.#kept.clear();
      }
      this.#kept.set(id, { name: business.name, until: now + keptMs });
      return business.name;
    } catch (error) {
      if (error instanceof ApiError) {
        return kept?.name ?? null;
      }
      throw error;
    }
  }
}
