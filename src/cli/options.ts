import type { OptionRow, OptionValues } from './command.ts'

/** An option means the same in every command that has it. */
export const options = {
  json: { says: 'print one line of JSON' },
  live: { says: 'ask the super validators, past the mirror' },
  all: { says: 'ask every super validator, and show what each of them said' },
  follow: { says: 'ask every 2 s until Ctrl-C; on a terminal, redraw' },
  list: { says: 'list every read and its parameters' },
  operations: { value: 'URL', says: "the daemon's operations address (default: as configured)" },
  localnetOf: {
    value: 'URL',
    says: 'on a localnet: the operations address of its daemon (default: as configured)',
  },
  receipt: { value: 'FILE', says: 'ask a daemon instead, and save its signed receipt' },
  daemon: { value: 'URL', says: "with --receipt: the daemon's public address (default: as configured)" },
  trustedKey: {
    value: '[NAME=]KEY',
    says: "a daemon's key, from its owner: its id, or a file with its JWK or key directory",
    several: true,
    required: true,
  },
  owners: {
    value: 'N',
    short: 'k',
    says: 'how many keys, given each on its own, must vouch (default: 1)',
  },
  question: { value: 'NAME-OR-PARTY', says: 'refuse receipts for another name or party' },
  at: { value: 'TIME', says: 'the time by which a receipt is current or not (default: now)' },
  current: { says: 'end with 3 if a receipt is not current any more' },
  maxAge: {
    value: 'DURATION',
    says: 'how long ago the answer may have been true, such as 3h (default: any)',
  },
  least: { value: 'N', says: 'the least threshold of super validators (default: 1)' },
  roster: { value: 'DIGEST', says: 'an accepted roster (default: any)', several: true },
  diff: {
    value: 'FILE',
    says: 'compare with the output of an earlier `doctor --json`',
  },
  sv: { value: 'NAME', says: 'only those that this super validator took part in' },
  read: {
    value: 'ID',
    says: 'only those of this read, or of the roster',
  },
  since: { value: 'TIME', says: 'only those since then: a time, a date, or a duration such as 1h30m' },
  limit: { value: 'N', says: 'at most as many (default: 20)' },
  dryRun: { says: 'keep nothing; needed, because a running daemon drains by itself' },
  floorKey: { value: 'KEY', says: 'a key that the log names, in place of NAME' },
  superValidators: { value: 'N', says: 'how many (default: 4)' },
  releases: {
    value: 'LIST',
    says: 'the releases of Splice that they speak, such as 0.8,0.9; a shorter list begins again',
  },
  firstPort: {
    value: 'PORT',
    says: 'port of the first node, the others follow it (default: free ones)',
  },
  controlPort: { value: 'PORT', says: 'port at which faults are set (default: 9500, or the next free one)' },
  user: { value: 'NAME', says: 'the user of the token', required: true },
} as const satisfies Readonly<Record<string, OptionRow>>

/** The texts that the user typed for these options, by their names. */
export type Chosen<Names extends keyof typeof options> = OptionValues<Pick<typeof options, Names>>
