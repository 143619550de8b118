import { publicNetworks } from './networks.ts'

export interface ConfigFlag {
  readonly path?: readonly string[]
  readonly value: string
  readonly choices?: readonly string[]
  readonly says: string
}

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/**
 * The command-line flags that set options. The help reads this table and must be fast, so
 * this file must not load the schema.
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
    choices: logLevels,
    says: 'least severe level that is logged',
  },
  config: { value: 'FILE', says: 'further configuration file, YAML or JSON' },
} as const satisfies Readonly<Record<string, ConfigFlag>>

export type ConfigFlagName = keyof typeof configFlags

export type FlagTexts = Readonly<Partial<Record<ConfigFlagName, string>>>
