import { Module } from '@nestjs/common';
import { AskAuthority } from './allocation/ask-authority.js';
import { DecideAllocation } from './allocation/decide-allocation.js';
import { AuthorityTokens } from './authority/authority-tokens.js';
import { TaxAuthority } from './authority/tax-authority.js';

/** The tax authority: who is connected, what was asked, what it answered. */
@Module({ providers: [DecideAllocation, AskAuthority, TaxAuthority, AuthorityTokens] })
export class AllocationModule {}
