/**
 * The seed of all random tests: a whole number from 0 to 2^31 - 1. A failure prints it. A run with the same number in
 * the environment variable `SEED` generates the same inputs.
 */
export const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31))

/** Whether random tests try much more than `npm test` does, which takes minutes or hours. */
export const isLong = process.env['LONG'] !== undefined
