import type { MemberRole } from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit';
import { html } from '@pinkas/ui';
import { ConsolePage, type PageReply, page, redirect } from '../../http/console-page.js';
import type { MemberVisit } from '../../http/visit.js';
import { LastOwnerError, Members, readEmail } from '../../people/members.js';
import { AttemptLimiter } from '../../sign-in/attempt-limiter.js';
import { postForm } from '../shell.js';
import { tooManyPage } from '../sign-in/sign-in-pages.js';
import { type Words, words } from '../words.js';
import { peopleWords as texts } from './people-words.js';
import { readRole, roleField } from './role-field.js';

interface WrongInvitation {
  readonly email: string;
  readonly role: MemberRole;
  readonly reason: Words;
}

function invitePage(visit: MemberVisit, wrong: WrongInvitation | null): PageReply {
  const { language, csrfToken } = visit;
  const error = wrong && html`<p class="error" id="email-error" role="alert">${wrong.reason[language]}</p>`;
  const field = html`<label for="email">${texts.email[language]}</label><input id="email" name="email" type="email" dir="ltr" inputmode="email" autocomplete="off" maxlength="254" required${wrong && html` value="${wrong.email}" aria-invalid="true" aria-describedby="email-error"`}>${error}`;
  return page(
    texts.inviteTitle[language],
    html`<h1>${texts.inviteTitle[language]}</h1><div class="card"><p>${texts.inviteLead[language]}</p>${postForm(
      visit.link('/people/invite'),
      csrfToken,
      html`${field}${roleField(wrong?.role ?? 'bookkeeper', language)}<button>${texts.send[language]}</button>`,
    )}<p><a href="${visit.link('/people')}">${words.cancel[language]}</a></p></div>`,
    wrong ? 422 : 200,
  );
}

/** Shows the form for an invitation. */
@ConsolePage({ method: 'GET', path: '/people/invite', access: 'owner', freshProof: true })
export class ShowInvite {
  async handle(visit: MemberVisit): Promise<PageReply> {
    return invitePage(visit, null);
  }
}

/** Invites a person to the business. */
@ConsolePage({
  method: 'POST',
  path: '/people/invite',
  access: 'owner',
  changes: 'nothing',
  freshProof: true,
})
export class InviteMember {
  constructor(
    private readonly members: Members,
    private readonly limiter: AttemptLimiter,
  ) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { business, form, language, session } = visit;
    const given = (form.get('email') ?? '').slice(0, 254);
    const role = readRole(form);
    const wrong = (reason: Words) => invitePage(visit, { email: given, role, reason });
    try {
      const email = readEmail(form.get('email') ?? '');
      const seconds = await this.limiter.consume('invitation_business', business.id);
      if (seconds !== null) {
        return tooManyPage(language, seconds);
      }
      await this.members.invite({
        businessId: business.id,
        email,
        role,
        language,
        personId: session.personId,
      });
    } catch (error) {
      if (error instanceof LastOwnerError) {
        return wrong(texts.lastOwner);
      }
      if (error instanceof ApiError && error.code === 'validation_error') {
        return wrong(texts.emailWrong);
      }
      throw error;
    }
    return redirect(visit.link('/people'));
  }
}
