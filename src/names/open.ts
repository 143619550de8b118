import type { Config } from '../config/resolve.ts'
import type { Clock } from '../lib/clock.ts'
import { agreedValue } from '../scan/agreed-value.ts'
import type { Reader } from '../scan/reader.ts'
import type { Events } from '../telemetry/events.ts'
import { ParticipantRegistry } from './participant-registry.ts'

export interface OpenRegistryDeps {
  readonly clock: Clock
  readonly events: Pick<Events, 'ledgerWritten'>
  readonly reader: Reader
}

/** Opens the registry on a participant; undefined if none is configured. */
export function openRegistry(
  { ledger: { url, validatorUser }, names: { acronym } }: Pick<Config, 'ledger' | 'names'>,
  { clock, events, reader }: OpenRegistryDeps,
): ParticipantRegistry | undefined {
  if (url === undefined) return undefined
  return new ParticipantRegistry(
    { url, validatorUser, acronym },
    { clock, events, agreed: (question) => agreedValue(reader, question) },
  )
}
