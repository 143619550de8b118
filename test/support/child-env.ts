/**
 * The environment variables of a process that a test starts: those that it needs to run, and no others of the
 * tests' own environment.
 */
export const childEnv: Readonly<Record<string, string>> = Object.fromEntries(
  ['PATH', 'NODE_COMPILE_CACHE'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  }),
)
