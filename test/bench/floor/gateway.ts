import { Module } from '@nestjs/common';
import { fields } from '@pinkas/gateway/config';
import { HttpRoute, type Reply } from '@pinkas/gateway/http-route';
import { backgrounds, GatewayModule } from '@pinkas/gateway/module';
import { connectNats, Peers, readEnvironment, runService } from '@pinkas/service-kit';
import { askFloor, getFloor } from './floor.js';

// NATS lets a gateway ask for what gateways need and nothing else; the operator, whose address this is, may ask everything.
const [, , operatorsNatsUrl = ''] = process.argv;
const peers = new Peers(await connectNats(operatorsNatsUrl, 'floor'));

@HttpRoute(getFloor)
class GetFloor {
  async handle(): Promise<Reply> {
    return { body: await peers.ask(askFloor, {}) };
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
