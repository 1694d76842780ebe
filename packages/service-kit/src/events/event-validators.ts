import { compileTolerant, type EventContract } from '@pinkas/contracts';

type Check = ReturnType<typeof compileTolerant>;

/** Validates event bodies; each schema is compiled once, when its event is seen first. */
export class EventValidators {
  readonly #checks = new Map<EventContract, Check>();

  check(event: EventContract, body: unknown): ReturnType<Check> {
    const check = this.#checks.get(event) ?? compileTolerant(event.body);
    this.#checks.set(event, check);
    return check(body);
  }
}
