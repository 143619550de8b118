import { publicNetworks } from './networks.ts'

/** A flag of the command line that sets an option, or that names a file of options. */
export interface ConfigFlag {
  /** The path of the option that the flag sets. Absent if the flag names a file. */
  readonly path?: readonly string[]
  /** The placeholder for the flag's value in the help. */
  readonly value: string
  /** The values that completion suggests. */
  readonly choices?: readonly string[]
  readonly says: string
}

/**
 * The flags of the command line that set options. Help and completion of the command line use this table. Both have to
 * be fast, so this file must not load the schema.
 */
export const configFlags = {
  network: {
    path: ['network'],
    value: 'NETWORK',
    choices: [...publicNetworks, 'localnet', 'remote'],
    says: 'network whose super validators are asked',
  },
  threshold: {
    path: ['scanClient', 'threshold'],
    value: 'RULE',
    choices: ['f+1', '2f+1'],
    says: 'super validators that must agree: f+1, 2f+1 or a number',
  },
  port: { path: ['http', 'port'], value: 'PORT', says: 'port of the public API; 0 takes a free one' },
  'log-level': {
    path: ['logLevel'],
    value: 'LEVEL',
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    says: 'least severe level that is logged',
  },
  config: { value: 'FILE', says: 'further configuration file, YAML or JSON' },
} as const satisfies Readonly<Record<string, ConfigFlag>>

export type ConfigFlagName = keyof typeof configFlags

/** The flags that were given, each with the text of its value. */
export type FlagTexts = Readonly<Partial<Record<ConfigFlagName, string>>>
