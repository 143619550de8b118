import { checkConfig } from './check-config.ts'
import { ledger, ledgerUsage } from './ledger.ts'
import { localnet, localnetUsage } from './localnet.ts'
import { lookup, lookupUsage } from './lookup.ts'
import { exitCodes, type Print } from './print.ts'
import { read, readUsage } from './read.ts'
import { roster, rosterUsage } from './roster.ts'
import { token, tokenUsage } from './token.ts'

/** A subcommand: resolves with the exit code. */
export interface Command {
  readonly says: string
  /** What `--help` prints before what it says. */
  readonly usage: string
  readonly run: (args: readonly string[], print: Print) => Promise<number>
}

export const commands = {
  serve: {
    says: 'run the daemon (the default)',
    usage: 'Usage: bft-scan-proxy serve',
    run: async (args, print) => (await import('./serve.ts')).serve(args, print),
  },
  'check-config': {
    says: 'say what the configuration comes to, or all that is wrong with it',
    usage: 'Usage: bft-scan-proxy check-config [--json]',
    run: checkConfig,
  },
  lookup: { says: "look up a name, or a party's name, as a quorum says it", usage: lookupUsage, run: lookup },
  read: { says: 'ask any read of docs/reads.md', usage: readUsage, run: read },
  roster: {
    says: 'say who is reachable from here, how fast, and whether they are enough',
    usage: rosterUsage,
    run: roster,
  },
  ledger: { says: "check or rebuild a ledger's file", usage: ledgerUsage, run: ledger },
  localnet: { says: 'run scan nodes alone', usage: localnetUsage, run: localnet },
  token: { says: "print a token for a localnet's daemon", usage: tokenUsage, run: token },
} as const satisfies Record<string, Command>

export type CommandName = keyof typeof commands

/** Runs a command, or says how it is used. */
export async function runCommand(name: CommandName, args: readonly string[], print: Print): Promise<number> {
  const { run, says, usage: own } = commands[name]
  if (!args.some((arg) => arg === '--help' || arg === '-h')) return run(args, print)
  print.out(`${own}\n\n${says[0]?.toUpperCase()}${says.slice(1)}.`)
  return exitCodes.ok
}

export function usage(): string {
  const lines = Object.entries(commands).map(([name, { says }]) => `  ${name.padEnd(14)}${says}`)
  return [
    'Usage: bft-scan-proxy [command]',
    '',
    ...lines,
    '',
    '`bft-scan-proxy COMMAND --help` says how a command is used; docs/command-line.md says more.',
    'Configuration: see docs/configuration.md.',
  ].join('\n')
}
