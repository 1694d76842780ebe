import type { MemberRole } from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit';
import { button, field, form, html, linkButton, pageHead, type Words } from '@pinkas/ui';
import { words } from '../../frame/words.js';
import { ConsolePage, PageController, type PageReply, page, redirect } from '../../http/console-page.js';
import type { MemberVisit } from '../../http/visit.js';
import { AttemptLimiter } from '../sign-in/attempt-limiter.js';
import { tooManyPage } from '../sign-in/sign-in-parts.js';
import { LastOwnerError, Members, readEmail } from './members.js';
import { peopleWords as texts } from './people-words.js';
import { readRole, roleField } from './role-field.js';

interface WrongInvitation {
  readonly email: string;
  readonly role: MemberRole;
  readonly reason: Words;
}

function invitePage(visit: MemberVisit, wrong: WrongInvitation | null): PageReply {
  const { language, t, csrfToken } = visit;
  const address = field({
    name: 'email',
    type: 'email',
    label: t(texts.email),
    value: wrong?.email ?? '',
    error: wrong?.reason[language],
    ltr: true,
    required: true,
  });
  const cancel = linkButton({ href: visit.link('/people'), text: t(words.cancel), kind: 'quiet' });
  return page(
    t(texts.inviteTitle),
    html`${pageHead({
      title: t(texts.inviteTitle),
      language,
      crumbs: [{ text: t(words.people), href: visit.link('/people') }],
      lead: t(texts.inviteLead),
    })}
<div class="card">
  ${form({
    action: visit.link('/people/invite'),
    csrfToken,
    content: html`${address}
${roleField(wrong?.role ?? 'bookkeeper', language)}`,
    acts: html`${button({ text: t(texts.send) })}${cancel}`,
  })}
</div>`,
    wrong ? 422 : 200,
  );
}

/** Invites a person to a business. */
@PageController({ path: '/people/invite', access: 'owner', freshProof: true })
export class InvitePages {
  constructor(
    private readonly members: Members,
    private readonly limiter: AttemptLimiter,
  ) {}

  @ConsolePage({ method: 'GET' })
  async show(visit: MemberVisit): Promise<PageReply> {
    return invitePage(visit, null);
  }

  @ConsolePage({ method: 'POST', changes: 'nothing' })
  async invite(visit: MemberVisit): Promise<PageReply> {
    const { business, form, language, session } = visit;
    const given = form.get('email') ?? '';
    const role = readRole(form);
    const wrong = (reason: Words) => invitePage(visit, { email: given, role, reason });
    let isEmailDue: boolean;
    try {
      const email = readEmail(given);
      const seconds = await this.limiter.consume('invitation_business', business.id);
      if (seconds !== null) {
        return tooManyPage(language, seconds);
      }
      ({ isEmailDue } = await this.members.invite({
        businessId: business.id,
        email,
        role,
        language,
        personId: session.personId,
      }));
    } catch (error) {
      if (error instanceof LastOwnerError) {
        return wrong(texts.lastOwner);
      }
      if (error instanceof ApiError && error.code === 'validation_error') {
        return wrong(texts.emailWrong);
      }
      throw error;
    }
    return redirect(visit.link('/people'), { outcome: isEmailDue ? 'invited' : 'role_changed' });
  }
}
