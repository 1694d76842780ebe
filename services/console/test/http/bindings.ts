import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { ConsoleModule } from '../../src/console.module.js';
import {
  isOfBusiness,
  type PageBinding,
  pageBindingsOf,
  pathsOf as pathsOfPage,
} from '../../src/http/console-page.js';

/** Every page of the module: one that is added later is tested without another line. */
export const bindings: readonly PageBinding[] = (
  (Reflect.getMetadata('providers', ConsoleModule) ?? []) as object[]
).flatMap((provider) => (typeof provider === 'function' ? pageBindingsOf(provider) : []));

/** Those of one business. */
export const ofBusiness: readonly PageBinding[] = bindings.filter(({ access }) => isOfBusiness(access));

/** The addresses of a page, with ids that exist nowhere. */
export const pathsOf = (page: PageBinding, businessId = ''): string[] =>
  pathsOfPage(page, businessId, (path) => path.replaceAll(/:[a-z_]+/gi, () => randomUUID()));
