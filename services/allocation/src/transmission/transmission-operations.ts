import { Controller } from '@nestjs/common';
import {
  openTransmission,
  type ReplyOf,
  type RequestOf,
  readTransmission,
  timeLimitsMs,
} from '@pinkas/contracts';
import {
  actorOf,
  appendTrail,
  type Database,
  forTenant,
  InjectConfig,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import { AuthorityCalls } from '../authority/authority-calls.js';
import type { AllocationConfig } from '../config.js';
import type { AllocationTables } from '../db/allocation.tables.js';
import { failureOf, transmissionOff, unreadable } from './transmission-failure.js';
import {
  linksRequest,
  linksUrl,
  readLinks,
  readStatuses,
  statusRequest,
  statusUrl,
} from './transmission-interface.js';

/** Files that the tax authority is sent. */
@Controller()
export class TransmissionOperations {
  constructor(
    @InjectDatabase() private readonly db: Database<AllocationTables>,
    @InjectConfig() private readonly config: AllocationConfig,
    private readonly calls: AuthorityCalls,
  ) {}

  /** Requests the addresses of an upload. The trail has the request before it is sent, and then the reply. */
  @Operation(openTransmission)
  async open(request: RequestOf<typeof openTransmission>): Promise<ReplyOf<typeof openTransmission>> {
    if (this.config.taxAuthorityTransmission === 'off') {
      return { ...transmissionOff, id: null, files: [] };
    }
    const { business_id, from, to, tax_id } = request;
    await this.#record(request, 'transmission.open', { from, to, tax_id });
    const timeoutMs = timeLimitsMs.transmission - timeLimitsMs.call;
    const answer = await this.calls.post(
      business_id,
      linksUrl(this.config),
      JSON.stringify(linksRequest(request)),
      { timeoutMs },
    );
    const opened = openedBy(answer);
    const { outcome, reason, id } = opened;
    const files = opened.files.map(({ name }) => name);
    await this.#record(request, 'transmission.opened', { from, to, outcome, reason, id, files });
    return opened;
  }

  #record(
    { business_id, person_id }: RequestOf<typeof openTransmission>,
    action: 'transmission.open' | 'transmission.opened',
    after: object,
  ): Promise<void> {
    const entry = { business_id, action, subject: business_id, actor: actorOf(person_id) };
    return forTenant(this.db, business_id)
      .transaction()
      .execute((trx) => appendTrail(trx, { ...entry, before: null, after }));
  }

  /** Requests what became of uploaded files. */
  @Operation(readTransmission)
  async read(request: RequestOf<typeof readTransmission>): Promise<ReplyOf<typeof readTransmission>> {
    if (this.config.taxAuthorityTransmission === 'off') {
      return { ...transmissionOff, files: [] };
    }
    const { business_id } = request;
    const timeoutMs = timeLimitsMs.transmission - timeLimitsMs.call;
    const answer = await this.calls.post(
      business_id,
      statusUrl(this.config),
      JSON.stringify(statusRequest(request)),
      { timeoutMs },
    );
    const failure = failureOf(answer);
    if (failure || answer.kind === 'failed') {
      return { outcome: 'failed', reason: null, ...failure, files: [] };
    }
    try {
      return { outcome: 'done', reason: null, files: readStatuses(answer.body, request) };
    } catch (error) {
      return { ...unreadable(error as Error), files: [] };
    }
  }
}

function openedBy(answer: Awaited<ReturnType<AuthorityCalls['post']>>): ReplyOf<typeof openTransmission> {
  const failure = failureOf(answer);
  if (failure || answer.kind === 'failed') {
    return { outcome: 'failed', reason: null, ...failure, id: null, files: [] };
  }
  try {
    return readLinks(answer.body);
  } catch (error) {
    return { ...unreadable(error as Error), id: null, files: [] };
  }
}
