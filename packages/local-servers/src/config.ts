/** What the machine's environment tells us: where programs are searched. Example: `/usr/local/bin:/usr/bin`. */
export const searchPath: string = process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin';

/** The whole environment of a server: it is configured by arguments, never by what happens to be set around us. */
export const serverEnvironment: NodeJS.ProcessEnv = { PATH: searchPath };
