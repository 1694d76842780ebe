import { setTimeout as delay } from 'node:timers/promises';
import {
  type ArtifactCursor,
  artifactPlaces,
  type LostArtifact,
  listLostArtifacts,
  moveArtifacts,
  type ReplyOf,
} from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit/client';
import { count, day, oneOf } from '../builder/arguments.js';
import type { Call, Command, Output, Progress } from '../builder/command.js';
import { listed } from '../builder/table.js';
import { UsageError } from '../builder/usage-error.js';
import { verb } from '../builder/verb.js';

type Place = (typeof artifactPlaces)[number];
type Reply = ReplyOf<typeof moveArtifacts>;

/** Files of a second: a tenth of what two cores make. */
const perSecondDefault = 10;
const perSecondMax = 1_000;
/** How often in a row a store may not answer, and how long the next call waits. */
const pausesMax = 5;
const pauseMs = 2_000;

/** A call that is repeated where the store does not answer: nothing that it has moved is lost. */
async function moveSome(call: Call, request: { to: Place; after: ArtifactCursor | null; files: number }) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call(moveArtifacts, request);
    } catch (error) {
      const isPassing = error instanceof ApiError && error.code === 'engine_error';
      if (!isPassing || attempt === pausesMax) {
        throw error;
      }
      await delay(attempt * pauseMs);
    }
  }
}

async function move(to: Place, perSecond: number, call: Call, progress: Progress): Promise<Output> {
  const failed: Reply['failed'] = [];
  let moved = 0;
  let bytes = 0;
  let newFiles: Place = to;
  for (let after: ArtifactCursor | null = null, isOver = false; !isOver; ) {
    const started = performance.now();
    const reply: Reply = await moveSome(call, { to, after, files: perSecond });
    moved += reply.moved;
    bytes += reply.bytes;
    failed.push(...reply.failed);
    newFiles = reply.new_files;
    after = reply.next;
    isOver = after === null;
    progress.show(`${moved.toLocaleString('en-US')} files moved, ${Math.round(bytes / 1e6)} MB`);
    if (!isOver && reply.moved > 0) {
      await delay(Math.max(0, (reply.moved / perSecond) * 1_000 - (performance.now() - started)));
    }
  }
  const lines = [
    `${moved.toLocaleString('en-US')} files moved to the ${to}`,
    ...(newFiles === to ? [] : [`Files of new documents go to the ${newFiles}: ${whereNewFilesGo(to)}`]),
    ...failed.map(
      ({ document_id, revision, message }) => `document ${document_id}, revision ${revision}: ${message}`,
    ),
  ];
  return {
    json: { moved, bytes, failed },
    text: lines.join('\n'),
    ...(failed.length > 0 && {
      failure: `${failed.length} ${failed.length === 1 ? 'file stays where it is' : 'files stay where they are'}: pinkas verify names their documents; see the runbook object-store`,
    }),
  };
}

const whereNewFilesGo = (to: Place) =>
  to === 'store'
    ? 'set ARTIFACT_STORE of rendering'
    : 'add readonly=true to ARTIFACT_STORE of rendering, then run it again';

async function lost(since: string | undefined, call: Call, progress: Progress): Promise<Output> {
  const files: LostArtifact[] = [];
  // Keys begin with the day.
  for (let after: string | null = since ?? ''; after !== null; ) {
    const reply: ReplyOf<typeof listLostArtifacts> = await call(listLostArtifacts, { after });
    files.push(...reply.files);
    after = reply.next;
    progress.show(
      `${files.length.toLocaleString('en-US')} files without a row, up to ${after ?? 'the last'}`,
    );
  }
  return listed(
    files,
    {
      day: ({ day }) => day,
      written: ({ modified_at }) => modified_at,
      business: ({ business_id }) => business_id,
      document: ({ document_id }) => document_id,
      key: ({ object_key }) => object_key,
    },
    'Every file of the object store has its row',
  );
}

/** `pinkas artifacts …` */
export const artifactCommands: readonly Command[] = [
  verb('artifacts move', {
    summary: 'moves the stored PDFs of all books into the object store or back; what was cut off goes on',
    options: {
      to: {
        value: artifactPlaces.join('|'),
        meaning: 'where they are moved',
        required: true,
        kind: oneOf(artifactPlaces, ' or '),
      },
      'per-second': {
        value: 'N',
        meaning: `files a second at most; default ${perSecondDefault}`,
        kind: count,
      },
    },
    run: ({ to, 'per-second': perSecond = perSecondDefault }, call, progress) => {
      if (perSecond < 1 || perSecond > perSecondMax) {
        throw new UsageError(`--per-second takes a number from 1 to ${perSecondMax}`);
      }
      return move(to, perSecond, call, progress);
    },
  }),
  verb('artifacts lost', {
    summary:
      'lists the PDFs in the object store that are in no row: of documents that a restore has lost, or that were never issued',
    options: { since: { value: 'DAY', meaning: 'made on this day or later; default: all', kind: day } },
    run: ({ since }, call, progress) => lost(since, call, progress),
  }),
];
