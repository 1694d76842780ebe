import { Module } from '@nestjs/common';
import { PurgeReservations } from './card/purge-reservations.js';
import { RecordCustomer } from './card/record-customer.js';
import { ResolveCustomer } from './card/resolve-customer.js';

/** The customer cards. */
@Module({ controllers: [ResolveCustomer], providers: [RecordCustomer, PurgeReservations] })
export class CustomerModule {}
