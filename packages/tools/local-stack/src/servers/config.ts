/** The folders in which programs are searched. Example: `/usr/local/bin:/usr/bin`. */
export const searchPath: string = process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin';

/** The whole environment of a server: arguments configure it, and it inherits no other variable. */
export const serverEnvironment: NodeJS.ProcessEnv = { PATH: searchPath };
