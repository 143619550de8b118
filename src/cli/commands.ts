import { type CommandTable, command, type Given } from './command.ts'
import { options as o } from './options.ts'

const serving = ['network', 'threshold', 'port', 'log-level', 'config'] as const
const asking = ['network', 'threshold', 'config'] as const
const { json, live, operations } = o
const ofAsking = { json, operations: o.localnetOf } as const

function asked({ options: { operations }, flags }: Pick<Given<typeof ofAsking>, 'options' | 'flags'>) {
  return { flags, operations }
}

/**
 * The first command runs if the command line names none. Each `run` imports its module only when it
 * is called, so that no other command's module is loaded.
 */
export const commands: CommandTable = [
  command({
    name: 'serve',
    says: 'run the daemon (the default)',
    flags: serving,
    examples: ['serve', 'serve --network mainnet --threshold 2f+1', 'serve --port 9000 --config own.yaml'],
    run: async ({ flags }, print) => (await import('./serve.ts')).serve(print, { flags }),
  }),
  command({
    name: 'check-config',
    says: 'validate the configuration and print the result, or all of its problems',
    options: { json },
    flags: serving,
    examples: ['check-config', 'check-config --network mainnet --json'],
    run: async ({ options, flags }, print) =>
      (await import('./check-config.ts')).checkConfig(options, print, { flags }),
  }),
  command({
    name: 'lookup',
    says: 'look up a name or a party, as a quorum says it',
    args: [{ name: 'NAME-OR-PARTY', says: 'a name, or the id of a party, which contains ::' }],
    options: { ...ofAsking, live, all: o.all, receipt: o.receipt, daemon: o.daemon },
    flags: asking,
    examples: [
      'lookup --network mainnet alice.unverified.cns',
      'lookup --all alice.unverified.cns',
      'lookup --receipt alice.receipt.json --daemon https://scan.example.org alice.unverified.cns',
      'lookup --json DSO::1220ab',
    ],
    run: async ({ args: [what = ''], options, flags }, print) =>
      (await import('./lookup.ts')).lookup({ what, ...options }, print, asked({ options, flags })),
  }),
  command({
    name: 'verify',
    says: 'verify receipts that were saved, without any network, and explain what they prove',
    note: 'Exit codes: 0 the receipt is current, or proved something then; 1 it is refused, and the sentence says why; 3 it is not current, with --current; 64 a file or a key cannot be used.',
    args: [{ name: 'FILE', says: 'a .receipt.json file, or - for standard input', several: true }],
    options: {
      json,
      key: o.trustedKey,
      owners: o.owners,
      question: o.question,
      at: o.at,
      current: o.current,
      'max-age': o.maxAge,
      least: o.least,
      roster: o.roster,
    },
    examples: [
      'verify alice.receipt.json --key key.jwk',
      'verify --key acme=acme.jwk --key hex=hex.jwk -k 2 acme.receipt.json hex.receipt.json',
    ],
    run: async ({ args, options }, print) =>
      (await import('./verify.ts')).verify({ files: args, ...options }, print),
  }),
  command({
    name: 'read',
    says: 'ask any read: `read --list` lists them',
    args: [
      { name: 'READ', says: 'the id of a read', optional: true },
      {
        name: 'KEY=VALUE',
        says: 'a parameter of the read, or a member of its body: JSON or a text; body=JSON is the whole body',
        optional: true,
        several: true,
      },
    ],
    options: { ...ofAsking, live, list: o.list },
    flags: asking,
    examples: ['read --list', 'read listAnsEntries page_size=10 name_prefix=al', 'read --json getDsoInfo'],
    run: async ({ args, options, flags }, print) =>
      (await import('./read.ts')).read({ args, ...options }, print, asked({ options, flags })),
  }),
  command({
    name: 'roster',
    says: 'show which super validators this machine can reach, how fast, and whether they are enough',
    options: ofAsking,
    flags: asking,
    examples: ['roster', 'roster --network mainnet --threshold 2f+1'],
    run: async ({ options, flags }, print) =>
      (await import('./roster.ts')).roster(options, print, asked({ options, flags })),
  }),
  command({
    name: 'doctor',
    says: "examine every super validator's scan from this machine, step by step",
    note: 'Exit codes: 0 all is well; 1 every threshold holds, but something is wrong at some super validators; 2 a threshold does not hold; 64 the command or FILE cannot be used; 69 there are no seeds; 78 the configuration cannot be used.',
    options: { ...ofAsking, diff: o.diff },
    flags: asking,
    examples: ['doctor --network mainnet', 'doctor --json > yesterday.json', 'doctor --diff yesterday.json'],
    run: async ({ options, flags }, print) =>
      (await import('./doctor.ts')).doctor(options, print, asked({ options, flags })),
  }),
  command({
    name: 'status',
    says: 'show the state of a running daemon',
    options: { json, follow: o.follow, operations },
    flags: ['config'],
    examples: ['status', 'status --follow', 'status --operations http://10.0.0.7:9464 --json'],
    run: async ({ options, flags }, print) => (await import('./status.ts')).status(options, print, { flags }),
  }),
  command({
    name: 'evidence',
    says: "show a running daemon's latest disagreements: who said what",
    options: { json, operations, sv: o.sv, read: o.read, since: o.since, limit: o.limit },
    flags: ['config'],
    examples: ['evidence', 'evidence --sv sv-2 --read lookupAnsEntryByName', 'evidence --limit 1 --json'],
    run: async ({ options, flags }, print) =>
      (await import('./evidence.ts')).evidence(options, print, { flags }),
  }),
  {
    name: 'mirror',
    says: 'try out the mirror of names',
    commands: [
      command({
        name: 'drain',
        says: 'drain the latest snapshot from every super validator, and show what a daemon would get',
        options: { ...ofAsking, 'dry-run': o.dryRun },
        flags: asking,
        examples: ['mirror drain --dry-run', 'mirror drain --dry-run --network mainnet --json'],
        run: async ({ options, flags }, print) =>
          (await import('./mirror-drain.ts')).mirrorDrain(options, print, asked({ options, flags })),
      }),
    ],
  },
  {
    name: 'receipts',
    says: 'show, rotate or revoke the keys that sign receipts',
    commands: [
      command({
        name: 'key',
        says: 'print the public key, its id, and the directory of keys',
        options: { json },
        flags: ['network', 'config'],
        examples: ['receipts key', 'receipts key --json | jq -r .keyid'],
        run: async ({ options, flags }, print) =>
          (await import('./receipts.ts')).receiptsKey(options, print, { flags }),
      }),
      command({
        name: 'rotate',
        says: 'make the next key, which signs seven days later',
        flags: ['network', 'config'],
        examples: ['receipts rotate'],
        run: async ({ flags }, print) => (await import('./receipts.ts')).receiptsRotate(print, { flags }),
      }),
      command({
        name: 'revoke',
        says: 'take a stolen key out of the directory at once',
        args: [{ name: 'KEYID', says: 'the id of the key, as `receipts key` prints it' }],
        flags: ['network', 'config'],
        examples: ['receipts revoke kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'],
        run: async ({ args: [keyid = ''], flags }, print) =>
          (await import('./receipts.ts')).receiptsRevoke(keyid, print, { flags }),
      }),
    ],
  },
  {
    name: 'guard',
    says: 'change what the rollback guard of a running daemon remembers',
    commands: [
      command({
        name: 'reset',
        says: 'let the answer to one question be older again than it was (operations.admin must be true)',
        args: [{ name: 'NAME', says: 'the name whose entry may be older', optional: true }],
        options: { operations, key: o.floorKey },
        flags: ['config'],
        examples: ['guard reset alice.unverified.cns', 'guard reset --key uDjY3kQ0v5cW1rT8aXb2Zs9'],
        run: async ({ args: [name], options, flags }, print) =>
          (await import('./guard.ts')).resetFloor({ name, ...options }, print, { flags }),
      }),
    ],
  },
  command({
    name: 'localnet',
    says: 'run scan nodes alone',
    options: {
      'super-validators': o.superValidators,
      releases: o.releases,
      port: o.firstPort,
      'control-port': o.controlPort,
    },
    examples: ['localnet', 'localnet --super-validators 13 --releases 0.8,0.9 --control-port 9500'],
    run: async ({ options }, print) => (await import('./localnet.ts')).localnet(options, print),
  }),
  command({
    name: 'token',
    says: "print a token that a localnet's daemon takes for 24 hours",
    options: { user: o.user },
    flags: ['config'],
    examples: ['token --user alice'],
    run: async ({ options, flags }, print) => (await import('./token.ts')).token(options, print, { flags }),
  }),
]
