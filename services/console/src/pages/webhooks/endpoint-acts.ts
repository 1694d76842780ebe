import {
  isEventId,
  removeEndpoint,
  resendWebhooks,
  rotateEndpointSecret,
  setEndpointEnabled,
  testEndpoint,
} from '@pinkas/contracts';
import { beginningOfDayInIsrael, dayInIsrael, isCalendarDate } from '@pinkas/domain';
import { ApiError, type Clock, InjectClock, RpcClient } from '@pinkas/service-kit';
import { button, form, html, leftToRight, linkButton, pageHead, type Words } from '@pinkas/ui';
import { ConsolePage, type PageReply, page, redirect } from '../../http/console-page.js';
import type { MemberVisit } from '../../http/visit.js';
import { words } from '../words.js';
import { crumbsOf, endpointsPath, findEndpoint, namedEndpoint, secretPage } from './endpoint-parts.js';
import { type EndpointOutcome, endpointPage } from './show-endpoint.js';

const texts = {
  rotate: { he: 'סוד חדש', en: 'New secret' },
  rotateWhat: {
    he: 'הכתובת מקבלת סוד חדש. הסוד הקודם חותם גם הוא עוד 24 שעות, כדי שיהיה זמן להחליף אותו בתוכנה.',
    en: 'The endpoint gets a new secret. The one before signs as well for 24 hours, so that there is time to replace it in the program.',
  },
  rotateButton: { he: 'יצירת סוד חדש', en: 'Make a new secret' },
  rotated: { he: 'הסוד הוחלף', en: 'The secret is replaced' },
  remove: { he: 'הסרת כתובת', en: 'Remove an endpoint' },
  removeWhat: {
    he: 'לא יישלח עוד דבר לכתובת, ומה שממתין לה נמחק עם הרישום. את ההסרה אי אפשר לבטל.',
    en: 'Nothing more is sent to the endpoint; what waits for it is deleted, with its log. This cannot be undone.',
  },
  removeButton: { he: 'הסרת הכתובת', en: 'Remove the endpoint' },
} as const satisfies Record<string, Words>;

/** How often one form looks for events that were missed; each time looks at a thousand. */
const missedCallsMax = 10;

/** Who does what to which endpoint, as the contracts take it. */
const actOf = (visit: MemberVisit) => ({ ...namedEndpoint(visit), person_id: visit.session.personId });

const toEndpoint = (visit: MemberVisit, outcome: EndpointOutcome, query: Record<string, string> = {}) =>
  redirect(visit.link(`${endpointsPath}/${visit.params.id}`, query), { outcome });

/** Sends something, unless the endpoint was disabled since its page was loaded. */
async function unlessDisabled(visit: MemberVisit, work: () => Promise<PageReply>): Promise<PageReply> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'validation_error') {
      return toEndpoint(visit, 'is_disabled');
    }
    throw error;
  }
}

/** Sends a test. */
@ConsolePage({
  method: 'POST',
  path: '/connection/webhooks/:id/test',
  access: 'owner',
  books: true,
  changes: 'settings',
})
export class TestEndpointPage {
  constructor(private readonly rpc: RpcClient) {}

  handle(visit: MemberVisit): Promise<PageReply> {
    return unlessDisabled(visit, async () => {
      await this.rpc.call(testEndpoint, actOf(visit));
      return toEndpoint(visit, 'tested');
    });
  }
}

/** Sends to an endpoint again, from now on. */
@ConsolePage({
  method: 'POST',
  path: '/connection/webhooks/:id/enable',
  access: 'owner',
  books: true,
  changes: 'settings',
})
export class EnableEndpoint {
  constructor(private readonly rpc: RpcClient) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    await this.rpc.call(setEndpointEnabled, { ...actOf(visit), enabled: true });
    return toEndpoint(visit, 'is_enabled');
  }
}

/** Stops what is sent to an endpoint. As a key can be revoked, this can be done in every state of the business. */
@ConsolePage({
  method: 'POST',
  path: '/connection/webhooks/:id/disable',
  access: 'owner',
  books: true,
  changes: 'nothing',
})
export class DisableEndpoint {
  constructor(private readonly rpc: RpcClient) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    await this.rpc.call(setEndpointEnabled, { ...actOf(visit), enabled: false });
    return toEndpoint(visit, 'is_disabled');
  }
}

/** Sends one event again, or what was missed since a day. */
@ConsolePage({
  method: 'POST',
  path: '/connection/webhooks/:id/resend',
  access: 'owner',
  books: true,
  changes: 'settings',
})
export class ResendWebhooksPage {
  constructor(
    private readonly rpc: RpcClient,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const event_id = visit.form.get('event_id');
    if (event_id === null) {
      return this.#resendMissed(visit);
    }
    if (!isEventId(event_id)) {
      throw new ApiError('not_found');
    }
    return unlessDisabled(visit, async () => {
      await this.rpc.call(resendWebhooks, { ...actOf(visit), event_id });
      return toEndpoint(visit, 'resent');
    });
  }

  async #resendMissed(visit: MemberVisit): Promise<PageReply> {
    const since = visit.form.get('since')?.trim() ?? '';
    const today = dayInIsrael(this.clock.now());
    if (!isCalendarDate(since) || since > today) {
      return endpointPage(this.rpc, today, visit, { since, isWrong: true });
    }
    const request = { ...actOf(visit), since: beginningOfDayInIsrael(since).toISOString() };
    return unlessDisabled(visit, async () => {
      let resent = 0;
      let after: number | null = positionOf(visit.form.get('go_on'), since);
      for (let calls = 0; after !== null && calls < missedCallsMax; calls += 1) {
        const found: { resent: number; next_after: number | null } = await this.rpc.call(resendWebhooks, {
          ...request,
          after,
        });
        resent += found.resent;
        after = found.next_after;
      }
      return after === null
        ? toEndpoint(visit, resent > 0 ? 'resent' : 'nothing_missed')
        : toEndpoint(visit, 'more_missed', { since, go_on: `${since}.${after}` });
    });
  }
}

/** Where the form before has stopped, unless another day was typed since. */
function positionOf(text: string | null, since: string): number {
  const [day, position = ''] = text?.split('.') ?? [];
  return day === since && /^\d{1,15}$/.test(position) ? Number(position) : 0;
}

/** The page that asks before an act that needs a proof. */
async function confirmPage(rpc: RpcClient, visit: MemberVisit, act: 'rotate' | 'remove'): Promise<PageReply> {
  const { csrfToken, language, link } = visit;
  const { id, url } = await findEndpoint(rpc, visit);
  const at = link(`${endpointsPath}/${id}`);
  const back = linkButton({ href: at, text: words.back[language], kind: 'quiet' });
  const kind = act === 'remove' ? 'danger' : 'primary';
  return page(
    texts[act][language],
    html`${pageHead({
      title: texts[act][language],
      language,
      crumbs: crumbsOf(visit, { text: leftToRight(url), href: at }),
    })}
<section class="card">
  <p>${leftToRight(url)}</p>
  <p>${texts[`${act}What`][language]}</p>
  ${form({
    action: `${at}/${act}`,
    csrfToken,
    content: html``,
    acts: html`${button({ text: texts[`${act}Button`][language], kind })}${back}`,
  })}
</section>`,
  );
}

/** Explains what a new secret does. */
@ConsolePage({
  method: 'GET',
  path: '/connection/webhooks/:id/rotate',
  access: 'owner',
  books: true,
  changes: 'settings',
  freshProof: true,
})
export class ConfirmRotation {
  constructor(private readonly rpc: RpcClient) {}

  handle(visit: MemberVisit): Promise<PageReply> {
    return confirmPage(this.rpc, visit, 'rotate');
  }
}

/** Makes a new secret and shows it, this once. */
@ConsolePage({
  method: 'POST',
  path: '/connection/webhooks/:id/rotate',
  access: 'owner',
  books: true,
  changes: 'settings',
  freshProof: true,
})
export class RotateSecret {
  constructor(private readonly rpc: RpcClient) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const rotated = await this.rpc.call(rotateEndpointSecret, actOf(visit));
    return secretPage(visit, texts.rotated[visit.language], rotated);
  }
}

/** Explains what removing an endpoint does. */
@ConsolePage({
  method: 'GET',
  path: '/connection/webhooks/:id/remove',
  access: 'owner',
  books: true,
  freshProof: true,
})
export class ConfirmRemoval {
  constructor(private readonly rpc: RpcClient) {}

  handle(visit: MemberVisit): Promise<PageReply> {
    return confirmPage(this.rpc, visit, 'remove');
  }
}

/** Removes an endpoint. */
@ConsolePage({
  method: 'POST',
  path: '/connection/webhooks/:id/remove',
  access: 'owner',
  books: true,
  changes: 'nothing',
  freshProof: true,
})
export class RemoveEndpointPage {
  constructor(private readonly rpc: RpcClient) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    await this.rpc.call(removeEndpoint, actOf(visit));
    return redirect(visit.link(endpointsPath), { outcome: 'removed' });
  }
}
