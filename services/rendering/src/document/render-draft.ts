import { Inject } from '@nestjs/common';
import { type ReplyOf, type RequestOf, renderDraft } from '@pinkas/contracts';
import { type Clock, InjectClock, Operation } from '@pinkas/service-kit';
import { LogoStore } from '../logo/logo.repository.js';
import { type Typeface, typefaceToken } from '../typeface/typeface.js';
import { draftPage } from './hosted-page.js';

/** Stands for what a draft has not yet; its page shows none of it. */
const nothing = { id: '00000000-0000-0000-0000-000000000000', public_id: '', number: 1 };

/** Renders a document that is not issued. */
@Operation(renderDraft)
export class RenderDraft {
  constructor(
    @Inject(typefaceToken) private readonly typeface: Typeface,
    private readonly logos: LogoStore,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle({ draft, business }: RequestOf<typeof renderDraft>): Promise<ReplyOf<typeof renderDraft>> {
    const issued_at = this.clock.now().toISOString();
    const customer = { ...draft.customer, id: draft.customer.id ?? nothing.id };
    const sheet = {
      document: { ...draft, ...nothing, issued_at, customer },
      business,
      logo: await this.logos.findLogo(business),
      allocationNumber: null,
      numberPending: false,
      cancelledAt: null,
      output: 'copy',
    } as const;
    return { html: draftPage(sheet, this.typeface) };
  }
}
