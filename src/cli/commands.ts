import { exitCodes, type Print } from './print.ts'
import { usages } from './usages.ts'

/** A subcommand. Its module is loaded when it runs; it resolves with the exit code. */
export interface CliCommand {
  readonly says: string
  readonly run: (args: readonly string[], print: Print) => Promise<number>
}

export const commands = {
  serve: {
    says: 'run the daemon (the default)',
    run: async (args, print) => (await import('./serve.ts')).serve(args, print),
  },
  'check-config': {
    says: 'say what the configuration comes to, or all that is wrong with it',
    run: async (args, print) => (await import('./check-config.ts')).checkConfig(args, print),
  },
  lookup: {
    says: "look up a name, or a party's name, as a quorum says it",
    run: async (args, print) => (await import('./lookup.ts')).lookup(args, print),
  },
  read: {
    says: 'ask any read of docs/reads.md',
    run: async (args, print) => (await import('./read.ts')).read(args, print),
  },
  roster: {
    says: 'say who is reachable from here, how fast, and whether they are enough',
    run: async (args, print) => (await import('./roster.ts')).roster(args, print),
  },
  ledger: {
    says: "check or rebuild a ledger's file",
    run: async (args, print) => (await import('./ledger.ts')).ledger(args, print),
  },
  localnet: {
    says: 'run scan nodes alone',
    run: async (args, print) => (await import('./localnet.ts')).localnet(args, print),
  },
  token: {
    says: "print a token for a localnet's daemon",
    run: async (args, print) => (await import('./token.ts')).token(args, print),
  },
} as const satisfies Readonly<Record<keyof typeof usages, CliCommand>>

export type CommandName = keyof typeof commands

/** Runs a command, or prints its usage. */
export async function runCommand(name: CommandName, args: readonly string[], print: Print): Promise<number> {
  const { run, says } = commands[name]
  if (!args.some((arg) => arg === '--help' || arg === '-h')) return run(args, print)
  print.out(`${usages[name]}\n\n${says[0]?.toUpperCase()}${says.slice(1)}.`)
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
