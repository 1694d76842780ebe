/**
 * Where npm has the settings of the machine, such as certificates and a proxy: for a child without the environment of this process.
 * npm looks for them beside the Node that runs it, which is one of the packages here; the npm of the machine states where they are.
 */
export const npmSettings = (): NodeJS.ProcessEnv => ({
  npm_config_globalconfig: process.env.npm_config_globalconfig,
});
