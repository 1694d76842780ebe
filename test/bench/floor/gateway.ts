import { Module } from '@nestjs/common';
import { fields } from '@pinkas/gateway/config';
import { HttpRoute, type Reply } from '@pinkas/gateway/http-route';
import { backgrounds, GatewayModule } from '@pinkas/gateway/module';
import { Peers, readEnvironment, runService } from '@pinkas/service-kit';
import { askFloor, getFloor } from './floor.js';

@HttpRoute(getFloor)
class GetFloor {
  constructor(private readonly peers: Peers) {}

  async handle(): Promise<Reply> {
    return { body: await this.peers.ask(askFloor, {}) };
  }
}

@Module({ imports: [GatewayModule], providers: [GetFloor] })
class MeasuredGateway {}

/** The gateway as it is, with one route more. */
await runService(() => ({
  name: 'gateway',
  config: readEnvironment(fields),
  module: MeasuredGateway,
  backgrounds,
}));
