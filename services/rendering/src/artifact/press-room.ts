import { Injectable } from '@nestjs/common';
import type { Background } from '@pinkas/service-kit';
import { ArtifactPress } from './artifact-press.js';

/** The press as a part of the process, which is ready only when the press is. */
@Injectable()
export class PressRoom implements Background {
  constructor(private readonly press: ArtifactPress) {}

  start(): void {}

  /** Requests in hand still print while the process drains. */
  async stop(): Promise<void> {
    this.press.stop();
  }

  ready(): Promise<string | null> {
    return this.press.fault();
  }

  warnings(): string[] {
    return this.press.warnings();
  }
}
