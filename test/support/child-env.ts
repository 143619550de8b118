/**
 * Child processes inherit only these environment variables, so that options of the developer's shell do not reach a
 * daemon. A localnet takes any free port for its control address.
 */
export const childEnv: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['PATH', 'NODE_COMPILE_CACHE'].flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  ),
  LOCALNET_CONTROL_PORT: '0',
}
