import type { ConnectedSynchronizer } from '../update-service.ts'
import { asObject, listIn, optionalText, textIn } from './reading.ts'

const unspecified = 'PARTICIPANT_PERMISSION_UNSPECIFIED'

/** `GetConnectedSynchronizersResponse`. @throws Garbage */
export function synchronizersIn(value: unknown): readonly ConnectedSynchronizer[] {
  return listIn(asObject(value), 'connectedSynchronizers').map((each) => {
    const synchronizer = asObject(each)
    return {
      synchronizerAlias: textIn(synchronizer, 'synchronizerAlias'),
      synchronizerId: textIn(synchronizer, 'synchronizerId'),
      permission: optionalText(synchronizer, 'permission') ?? unspecified,
    }
  })
}
