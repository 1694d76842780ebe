import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as a collector takes it. */
export interface CollectedSpan {
  service: string;
  traceId: string;
  spanId: string;
  /** Undefined of a span that begins its trace. */
  parentSpanId: string | undefined;
  name: string;
  kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  failed: boolean;
  attributes: Record<string, unknown>;
}

/** A collector of traces, OTLP over HTTP with JSON. */
export interface TestCollector {
  /** Without `/v1/traces`. */
  readonly url: string;
  /** Whether it takes what comes, answers 500 to it, or never answers. */
  mode: 'takes' | 'fails' | 'hangs';
  /** What it was sent, as it came, in whatever mode. */
  readonly bodies: string[];
  /** What it has taken. */
  spans(): CollectedSpan[];
  /** How many requests it has not answered, and whose sender still waits. */
  waiting(): number;
  stop(): Promise<void>;
}

interface OtlpValue {
  stringValue?: string;
  intValue?: number | string;
  boolValue?: boolean;
  doubleValue?: number;
}
interface OtlpAttribute {
  key: string;
  value: OtlpValue;
}
interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  status?: { code?: number };
  attributes?: OtlpAttribute[];
}
interface OtlpTraces {
  resourceSpans: {
    resource: { attributes: OtlpAttribute[] };
    scopeSpans: { spans: OtlpSpan[] }[];
  }[];
}

/** By their numbers in OTLP. */
const kinds = [undefined, 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const failedCode = 2;

export async function startTestCollector(): Promise<TestCollector> {
  const taken: CollectedSpan[] = [];
  const hanging = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      collector.bodies.push(body);
      if (collector.mode === 'hangs') {
        hanging.add(response);
        response.once('close', () => hanging.delete(response));
        return;
      }
      if (collector.mode === 'fails' || request.url !== '/v1/traces') {
        return response.writeHead(500).end();
      }
      taken.push(...spansOf(JSON.parse(body) as OtlpTraces));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const collector: TestCollector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mode: 'takes',
    bodies: [],
    spans: () => [...taken],
    waiting: () => hanging.size,
    stop: async () => {
      // A request that is cut off is sent again, by a timer that outlives the test; one that is refused is not.
      await Promise.all(
        [...hanging].map((response) => new Promise<void>((done) => response.writeHead(400).end(done))),
      );
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return collector;
}

function spansOf({ resourceSpans }: OtlpTraces): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(attributesOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        service,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId || undefined,
        name: span.name,
        kind: kinds[span.kind] ?? 'internal',
        failed: span.status?.code === failedCode,
        attributes: attributesOf(span.attributes ?? []),
      })),
    );
  });
}

function attributesOf(attributes: readonly OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
