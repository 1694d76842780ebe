import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Member, MemberRole } from '@pinkas/contracts';
import { normaliseEmailAddress, pastedEmail } from '@pinkas/domain';
import {
  ApiError,
  actorOf,
  appendTrail,
  type Clock,
  currentContext,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  type Transaction,
} from '@pinkas/service-kit';
import type { Language } from '@pinkas/ui';
import type { ConsoleTables } from '../../db/console.tables.js';
import { insertNotice } from '../../notice/notice.repository.js';
import { NoticeTrigger } from '../../notice/notice-trigger.js';
import { deleteDraftsOf } from '../../session/draft.repository.js';
import {
  deleteMember,
  ensurePerson,
  findMember,
  hasOtherOwner,
  insertMember,
  listMembers,
  lockMembers,
  setUndelivered,
  updateRole,
} from './member.repository.js';

/** A business would be left without an owner. */
export class LastOwnerError extends Error {
  override readonly name = 'LastOwnerError';
  override readonly message = 'a business keeps an owner';
}

/** @throws validation_error at `/email`. */
export function readEmail(text: string): string {
  const email = normaliseEmailAddress(pastedEmail(text));
  if (email === null) {
    throw ApiError.invalid([{ path: '/email', message: 'is no email address' }]);
  }
  return email;
}

/** What is asked of a membership. */
export interface Invitation {
  readonly businessId: string;
  readonly email: string;
  readonly role: MemberRole;
  /** The language of the mail for a person who has chosen none. */
  readonly language: Language;
  /** Undefined: the operator. */
  readonly personId: string | undefined;
}

/** Changes who may use a business. A person of the console leaves it an owner; the operator need not. */
@Injectable()
export class Members {
  constructor(
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly notices: NoticeTrigger,
  ) {}

  /** Adds a member, or changes the role of one, and makes an email due unless the role alone changed. */
  async invite(invitation: Invitation): Promise<{ readonly member: Member; readonly isEmailDue: boolean }> {
    const { businessId, personId } = invitation;
    const email = readEmail(invitation.email);
    const invited = await this.#change(businessId, async (trx) => {
      const known = await findMember(trx, businessId, { email });
      if (known && known.role !== invitation.role) {
        return { member: await this.#setRole(trx, known, invitation.role, personId), isEmailDue: false };
      }
      const member = known ?? (await this.#add(trx, { ...invitation, email }));
      await setUndelivered(trx, member, null);
      await insertNotice(trx, {
        id: randomUUID(),
        kind: 'invitation',
        email,
        browser_hash: null,
        business_id: businessId,
        next_path: `/b/${businessId}`,
        language: invitation.language,
        request_id: currentContext()?.requestId ?? null,
        requested_at: this.clock.now(),
      });
      return { member: { ...member, undelivered_at: null }, isEmailDue: true };
    });
    this.notices.trigger();
    return invited;
  }

  /** Changes the role of a member. @throws not_found; LastOwnerError for a person of the console. */
  setRole(
    businessId: string,
    memberId: string,
    role: MemberRole,
    personId: string | undefined,
  ): Promise<Member> {
    return this.#change(businessId, async (trx) => {
      const member = await this.#find(trx, businessId, { personId: memberId });
      return member.role === role ? member : this.#setRole(trx, member, role, personId);
    });
  }

  /**
   * Takes the business away from a member; the owners get a mail when a member leaves.
   * @throws not_found; LastOwnerError for a person of the console.
   */
  async remove(
    businessId: string,
    by: { readonly email: string } | { readonly personId: string },
    personId: string | undefined,
  ): Promise<Member> {
    const removed = await this.#change(businessId, async (trx) => {
      const member = await this.#find(trx, businessId, by);
      const hasLeft = member.person_id === personId;
      await this.#keepOwner(trx, member, personId);
      await deleteMember(trx, member, this.clock.now());
      await deleteDraftsOf(trx, { businessId: member.business_id, personId: member.person_id });
      if (hasLeft) {
        await this.#reportDeparture(trx, member);
      }
      await appendTrail(trx, {
        business_id: businessId,
        action: hasLeft ? 'person.leave' : 'person.remove',
        subject: member.person_id,
        actor: actorOf(personId),
        before: { email: member.email, role: member.role },
        after: null,
      });
      return member;
    });
    this.notices.trigger();
    return removed;
  }

  async #reportDeparture(trx: Transaction<ConsoleTables>, left: Member): Promise<void> {
    const members = await listMembers(trx, left.business_id);
    for (const { email } of members.filter(({ role }) => role === 'owner')) {
      await insertNotice(trx, {
        id: randomUUID(),
        kind: 'departure',
        email,
        browser_hash: null,
        business_id: left.business_id,
        left_email: left.email,
        next_path: `/b/${left.business_id}/people`,
        language: 'he',
        request_id: currentContext()?.requestId ?? null,
        requested_at: this.clock.now(),
      });
    }
  }

  #change<T>(businessId: string, work: (trx: Transaction<ConsoleTables>) => Promise<T>): Promise<T> {
    return forTenant(this.db, businessId)
      .transaction()
      .execute(async (trx) => {
        await lockMembers(trx, businessId);
        return work(trx);
      });
  }

  async #find(
    trx: Transaction<ConsoleTables>,
    businessId: string,
    by: { readonly email: string } | { readonly personId: string },
  ): Promise<Member> {
    const member = await findMember(trx, businessId, by);
    if (!member) {
      throw new ApiError('not_found');
    }
    return member;
  }

  async #add(
    trx: Transaction<ConsoleTables>,
    { businessId, email, role, personId }: Invitation,
  ): Promise<Member> {
    const now = this.clock.now();
    const id = await ensurePerson(trx, email, now);
    await insertMember(trx, { businessId, personId: id, role, invitedBy: personId ?? null }, now);
    await appendTrail(trx, {
      business_id: businessId,
      action: 'person.invite',
      subject: id,
      actor: actorOf(personId),
      before: null,
      after: { email, role },
    });
    return {
      person_id: id,
      business_id: businessId,
      email,
      role,
      invited_at: now.toISOString(),
      undelivered_at: null,
      joined_at: null,
    };
  }

  async #setRole(
    trx: Transaction<ConsoleTables>,
    member: Member,
    role: MemberRole,
    personId: string | undefined,
  ): Promise<Member> {
    await this.#keepOwner(trx, member, personId);
    await updateRole(trx, member, role);
    await appendTrail(trx, {
      business_id: member.business_id,
      action: 'person.role',
      subject: member.person_id,
      actor: actorOf(personId),
      before: { email: member.email, role: member.role },
      after: { email: member.email, role },
    });
    return { ...member, role };
  }

  /** The lock of the members is held: two owners cannot remove each other at once. */
  async #keepOwner(
    trx: Transaction<ConsoleTables>,
    member: Member,
    personId: string | undefined,
  ): Promise<void> {
    if (personId !== undefined && member.role === 'owner' && !(await hasOtherOwner(trx, member))) {
      throw new LastOwnerError();
    }
  }
}
