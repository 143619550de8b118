import { checkConfig } from './check-config.ts'
import { ledger } from './ledger.ts'
import { localnet } from './localnet.ts'
import type { Print } from './print.ts'
import { serve } from './serve.ts'
import { token } from './token.ts'

/** A subcommand: resolves with the exit code. */
export interface Command {
  readonly says: string
  readonly run: (args: readonly string[], print: Print) => Promise<number>
}

export const commands = {
  serve: { says: 'run the daemon (the default)', run: serve },
  'check-config': { says: 'say what is wrong with the configuration, and exit', run: checkConfig },
  ledger: { says: "check or rebuild a ledger's file: verify [FILE], rebuild FILE NEW-FILE", run: ledger },
  localnet: { says: 'run scan nodes alone: --super-validators N, --port P, --control-port P', run: localnet },
  token: { says: "print a token for a localnet's daemon: --user NAME", run: token },
} as const satisfies Record<string, Command>

export function usage(): string {
  const lines = Object.entries(commands).map(([name, { says }]) => `  ${name.padEnd(14)}${says}`)
  return [
    'Usage: bft-scan-proxy [command]',
    '',
    ...lines,
    '',
    'Configuration: see docs/configuration.md.',
  ].join('\n')
}
