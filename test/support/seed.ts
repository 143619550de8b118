/**
 * What random tests begin with: a whole number from 0 to 2^31 - 1. A failure prints it, and the environment variable
 * `SEED` repeats the run.
 */
export const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31))
