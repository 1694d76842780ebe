import { ConsoleModule } from '@pinkas/console/module';
import { type PageBinding, pageBindingOf } from '@pinkas/console/page';

/** Every page and form of the console: one that is added later is tested without another line. */
export const consolePages: readonly PageBinding[] = (
  (Reflect.getMetadata('providers', ConsoleModule) ?? []) as object[]
).flatMap((provider) => (typeof provider === 'function' ? (pageBindingOf(provider) ?? []) : []));
