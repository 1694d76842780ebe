import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ServiceException,
} from '@aws-sdk/client-s3';
import type { StoreAddress } from '../config.js';
import { BodyError } from './body-error.js';

/** A file as the store lists it. */
export interface ListedObject {
  readonly key: string;
  /** By the clock of the store. */
  readonly modifiedAt: Date;
}

/** A second attempt is made of the SDK, for what is worth one: 5xx, SlowDown, a lost connection, a clock that is wrong. */
const attemptsMax = 3;
const connectionTimeoutMs = 1_000;
/** Until the head of an answer has arrived. */
const responseTimeoutMs = 1_500;
/** More requests wait for a connection. */
const connectionsMax = 32;
const listMax = 1_000;

/** A bucket, or what is below a prefix of it. Only this file uses the SDK, and it is loaded where a store is configured. */
export class S3Bucket {
  readonly #client: S3Client;
  /** False from the first answer on that refuses one: the signature covers the hash of the bytes as well. */
  #sendsChecksums: boolean;

  /** Credentials are found as the SDK finds them: environment, web identity, file, role of the container or the machine. */
  constructor(private readonly address: StoreAddress) {
    const { endpoint, region } = address;
    this.#sendsChecksums = address.checksums;
    const agent = { keepAlive: true, maxSockets: connectionsMax };
    this.#client = new S3Client({
      ...(endpoint !== null && { endpoint, forcePathStyle: true }),
      ...(region !== null && { region }),
      maxAttempts: attemptsMax,
      retryMode: 'standard',
      // Others than Amazon's do not know what is only supported.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        connectionTimeout: connectionTimeoutMs,
        requestTimeout: responseTimeoutMs,
        throwOnRequestTimeout: true,
        httpAgent: agent,
        httpsAgent: agent,
      },
    });
  }

  /** The store compares the bytes with their hash before it keeps them. */
  async put(key: string, bytes: Buffer, sha256: Buffer, abortSignal: AbortSignal): Promise<void> {
    const send = () =>
      this.#client.send(
        new PutObjectCommand({
          ...this.#at(key),
          Body: bytes,
          ContentLength: bytes.length,
          ContentType: 'application/pdf',
          ...(this.#sendsChecksums && { ChecksumSHA256: sha256.toString('base64') }),
        }),
        { abortSignal },
      );
    await send().catch((error: S3ServiceException) => {
      if (!this.#sendsChecksums || !refusesChecksums(error)) {
        throw error;
      }
      this.#sendsChecksums = false;
      return send();
    });
  }

  /** @returns null where there is no such file; of a larger one only a part. @throws BodyError where its bytes did not arrive. */
  async get(key: string, bytesMax: number, abortSignal: AbortSignal): Promise<Buffer | null> {
    const command = new GetObjectCommand(this.#at(key));
    const answer = await this.#client.send(command, { abortSignal }).catch((error: S3ServiceException) => {
      if (error.name === 'NoSuchKey') {
        return null;
      }
      throw error;
    });
    return answer && readBody(answer.Body as AsyncIterable<Buffer> | undefined, bytesMax, abortSignal);
  }

  /** What is not there is removed as well. */
  async remove(key: string, abortSignal: AbortSignal): Promise<void> {
    await this.#client.send(new DeleteObjectCommand(this.#at(key)), { abortSignal });
  }

  /** The next files behind a key, in the order of their keys. */
  async list(after: string, abortSignal: AbortSignal, max = listMax): Promise<ListedObject[]> {
    const { bucket, prefix } = this.address;
    const command = new ListObjectsV2Command({
      Bucket: bucket,
      Prefix: prefix,
      ...(after !== '' && { StartAfter: prefix + after }),
      MaxKeys: max,
    });
    const { Contents = [] } = await this.#client.send(command, { abortSignal });
    return Contents.map(({ Key = '', LastModified = new Date() }) => ({
      key: Key.slice(prefix.length),
      modifiedAt: LastModified,
    }));
  }

  #at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.address.bucket, Key: this.address.prefix + key };
  }
}

/** Stores of others than Amazon's refuse a header that they do not know with 400 or 501. */
const refusesChecksums = ({ $metadata, message }: S3ServiceException): boolean =>
  [400, 501].includes($metadata?.httpStatusCode ?? 0) && /x-amz-(?:sdk-)?checksum/i.test(message);

async function readBody(
  body: AsyncIterable<Buffer> | undefined,
  bytesMax: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  const stop = () => (body as unknown as { destroy?: () => void })?.destroy?.();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of body ?? []) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > bytesMax) {
        break;
      }
    }
    signal.throwIfAborted();
    return Buffer.concat(chunks);
  } catch (error) {
    throw new BodyError(`the file was not read: ${(error as Error).message}`, { cause: error });
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}
