import { Module } from '@nestjs/common';
import { fields } from '@pinkas/gateway/config';
import { HttpRoute, type RouteReply } from '@pinkas/gateway/http-route';
import { backgroundTasks, GatewayModule } from '@pinkas/gateway/module';
import { connectNats, RpcClient, runService } from '@pinkas/service-kit';
import { readEnvironment } from '@pinkas/service-kit/config';
import { askFloor, getFloor } from './floor.js';

// NATS lets a gateway ask for what gateways need and nothing else; the operator, whose address this is, may ask everything.
const [, , operatorsNatsUrl = ''] = process.argv;
const rpc = new RpcClient(await connectNats(operatorsNatsUrl, 'floor'));

@HttpRoute(getFloor)
class GetFloor {
  async handle(): Promise<RouteReply> {
    return { body: await rpc.call(askFloor, {}) };
  }
}

@Module({ imports: [GatewayModule], providers: [GetFloor] })
class MeasuredGateway {}

/** The gateway as it is, with one route more. */
await runService(() => ({
  name: 'gateway',
  config: readEnvironment(fields),
  module: MeasuredGateway,
  backgroundTasks,
}));
