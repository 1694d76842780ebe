import type { RunningStack } from '../harness/running-stack.js';
import type { Row } from './report.js';
import { measureAuditing } from './scenarios/auditing.js';
import { measureCost, measureMemory, measureReplicas } from './scenarios/costs.js';
import { measureEvents } from './scenarios/events.js';
import { measureFaults, measureHostile, measureSteps } from './scenarios/faults.js';
import {
  measureAgainstGotenberg,
  measureFairness,
  measureIssuing,
  measureObjectStore,
  measureOpenLoop,
  measureSeries,
} from './scenarios/issuing.js';
import { measureConsole, measureDocuments, measurePage } from './scenarios/pages.js';
import { measureExporting, measureReading } from './scenarios/reading.js';

/** Starts a system; the parts that share one are given the same each time. */
export type StartSystem = (environment?: Record<string, string>) => Promise<RunningStack>;

/** How much a part does; where it is not given, as much as the part says. */
export interface ScenarioOptions {
  requests?: number | undefined;
  documents?: number | undefined;
  customers?: number | undefined;
  businesses?: number | undefined;
  days?: number | undefined;
}

/** Prepares what it needs, puts a load on it, and says what it measured. */
export type Scenario = (start: StartSystem, options: ScenarioOptions) => Promise<Row[]>;

/** The parts that are measured on one system, one after the other in this order. */
export const onOneSystem: Readonly<Record<string, Scenario>> = {
  reading: measureReading,
  export: measureExporting,
  issuing: measureIssuing,
  series: measureSeries,
  cost: measureCost,
  events: measureEvents,
  'open-loop': measureOpenLoop,
  documents: measureDocuments,
  page: measurePage,
  console: measureConsole,
  steps: measureSteps,
  hostile: measureHostile,
  fairness: measureFairness,
  faults: measureFaults,
  memory: measureMemory,
};

/** The parts that start systems of their own. */
export const onOwnSystems: Readonly<Record<string, Scenario>> = {
  audit: measureAuditing,
  replicas: measureReplicas,
  gotenberg: measureAgainstGotenberg,
  'object-store': measureObjectStore,
};
