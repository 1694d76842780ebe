import { Controller, Module } from '@nestjs/common';
import type { ReplyOf } from '@pinkas/contracts';
import { type Database, InjectDatabase, Operation, runService } from '@pinkas/service-kit';
import { readEnvironment, serviceFields } from '@pinkas/service-kit/config';
import { sql } from 'kysely';
import { askFloor } from './floor.js';

@Controller()
class AskFloor {
  constructor(@InjectDatabase() private readonly db: Database<object>) {}

  @Operation(askFloor)
  async ask(): Promise<ReplyOf<typeof askFloor>> {
    const { rows } = await sql<{ one: number }>`select 1 as one`.execute(this.db);
    return { one: rows[0]?.one ?? 0 };
  }
}

@Module({ controllers: [AskFloor] })
class Floor {}

/** A process that answers nothing but `select 1`. */
await runService(() => ({ name: 'issuing', config: readEnvironment(serviceFields), module: Floor }));
