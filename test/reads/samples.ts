import type { ReadId } from '../../src/core/reads/endpoints.ts'
import { nameSamples } from './samples/names.ts'
import { networkSamples } from './samples/network.ts'
import { partySamples } from './samples/parties.ts'
import { tokenRegistrySamples } from './samples/token-registry.ts'
import { updateSamples } from './samples/updates.ts'

export const samples = {
  ...nameSamples,
  ...networkSamples,
  ...partySamples,
  ...updateSamples,
  ...tokenRegistrySamples,
} as const satisfies Record<
  ReadId,
  { readonly params: Readonly<Record<string, string>>; readonly reply: unknown }
>
