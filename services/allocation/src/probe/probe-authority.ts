import { randomUUID } from 'node:crypto';
import { Controller } from '@nestjs/common';
import { probeAuthority, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { dayInIsrael } from '@pinkas/domain';
import { type Clock, InjectClock, InjectConfig, Operation } from '@pinkas/service-kit';
import { AuthorityCalls } from '../authority/authority-calls.js';
import type { AllocationConfig } from '../config.js';
import { answeredWords, type ProbeAnswer, probes } from './probes.js';

const dayMs = 24 * 60 * 60 * 1_000;
const callMs = 20_000;
/** More of an answer is not needed to see what it is. */
const bodyMax = 4_096;

/** Makes the calls of one probe, one after the other, at a sandbox only. */
@Controller()
export class ProbeAuthority {
  constructor(
    @InjectConfig() private readonly config: AllocationConfig,
    @InjectClock() private readonly clock: Clock,
    private readonly calls: AuthorityCalls,
  ) {}

  @Operation(probeAuthority)
  async handle({
    business_id,
    probe: name,
    vat_number: vatNumber,
  }: RequestOf<typeof probeAuthority>): Promise<ReplyOf<typeof probeAuthority>> {
    const { question, assumed, calls } = probes[name];
    const answers: ProbeAnswer[] = [];
    const reply = { reason: null, question, assumed, answered: null, answers };
    if (!isSandbox(this.config)) {
      const reason = 'The configured tax authority is no sandbox: nothing was sent.';
      return { ...reply, outcome: 'not_sandbox', reason };
    }
    const now = this.clock.now().getTime();
    const day = (offset: number) => dayInIsrael(new Date(now + offset * dayMs));
    for (const { url, body } of calls({ config: this.config, vatNumber, id: randomUUID(), day })) {
      const answer = await this.calls.post(business_id, url, JSON.stringify(body), {
        timeoutMs: callMs,
        endsConnection: false,
      });
      if (answer.kind === 'failed') {
        return { ...reply, outcome: 'failed', reason: answer.reason };
      }
      answers.push({ status: answer.status, body: answer.body.slice(0, bodyMax) });
    }
    return { ...reply, outcome: 'answered', answered: answeredWords(name, answers) };
  }
}

/** Both bases are those of the sandbox, whose environment the authority calls `tsandbox`. */
function isSandbox({ taxAuthorityUrl, taxAuthorityInformationUrl }: AllocationConfig): boolean {
  return [taxAuthorityUrl, taxAuthorityInformationUrl].every((url) => /\/shaam\/tsandbox\/?$/.test(url));
}
