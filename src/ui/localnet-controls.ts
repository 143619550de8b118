import type { NameService } from '../automation/name-service.ts'
import { inSpliceWords } from '../http/routes/route.ts'
import type { Faults } from '../localnet/faults.ts'
import type { Localnet } from '../localnet/localnet.ts'
import type { LocalnetControls } from './localnet-routes.ts'

export function localnetControls(
  { faults: kinds, advance, ...localnet }: Localnet,
  names: NameService | undefined,
): LocalnetControls {
  return {
    kinds,
    nodes: () =>
      localnet.show().map(({ name, fault }) => ({
        name,
        faults: [fault].flat().flatMap((each) => (each as { kind: string } | null)?.kind ?? []),
      })),
    setFault: (name, kind) => localnet.setFault(name, kind === undefined ? undefined : ({ kind } as Faults)),
    advance,
    registration: names && {
      acronym: names.acronym,
      async register(user, entry) {
        try {
          await names.register(user, entry)
        } catch (error) {
          throw inSpliceWords(error, user)
        }
      },
    },
  }
}
