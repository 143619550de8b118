import type { NameService } from '../automation/name-service.ts'
import { inSpliceWords } from '../http/routes/route.ts'
import type { Faults } from '../localnet/faults.ts'
import type { Localnet } from '../localnet/localnet.ts'
import type { EntryRequest } from '../names/name.ts'
import type { ShownNode } from './model.ts'

export type LocalnetControls = ReturnType<typeof localnetControls>

/** The operations by which a visitor can see and change a localnet, the test network in this process. */
export function localnetControls(
  { faults: kinds, advance, healAll, ...localnet }: Localnet,
  names: NameService | undefined,
) {
  return {
    kinds,
    nodes: (): readonly ShownNode[] =>
      localnet.show().map(({ name, fault }) => ({
        name,
        faults: [fault].flat().flatMap((each) => (each as { kind: string } | null)?.kind ?? []),
      })),
    /** Injects a fault into a node, or removes all its faults if `kind` is undefined. */
    setFault: (name: string, kind: string | undefined) =>
      localnet.setFault(name, kind === undefined ? undefined : ({ kind } as Faults)),
    healAll,
    advance,
    registration: names && {
      acronym: names.acronym,
      async register(user: string, entry: EntryRequest) {
        try {
          await names.register(user, entry)
        } catch (error) {
          throw inSpliceWords(error, user)
        }
      },
    },
  }
}
