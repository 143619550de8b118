import { UndiciJsonApi, type UndiciJsonApiOptions } from '../../../src/ledger/participant/json-api.undici.ts'
import { Participant } from '../../../src/ledger/participant/participant.ts'
import { ParticipantUpdates } from '../../../src/ledger/participant/participant-updates.ts'
import type { Credentials } from '../../../src/ledger/participant/requests.ts'
import type { UpdateReads } from '../../../src/ledger/update-service.ts'
import { type FakeOptions, FakeParticipant } from '../../support/fake-participant.ts'
import { HurryingClock } from './hurrying-clock.ts'

export interface Opened extends AsyncDisposable {
  readonly fake: FakeParticipant
  readonly party: string
  readonly clock: HurryingClock
  readonly api: UndiciJsonApi
  readonly participant: Participant
  readonly updates: ParticipantUpdates
  readonly reads: UpdateReads
  /**
   * One element for each time that a stream without an end offset broke: whether the driver gave the stream up instead
   * of reopening it.
   */
  readonly broke: readonly boolean[]
  readonly reader: Credentials
  readonly life: AbortController
  readonly signal: AbortSignal
}

export async function openReads(
  options: FakeOptions & Omit<UndiciJsonApiOptions, 'url'> = {},
): Promise<Opened> {
  const fake = await FakeParticipant.listen(options)
  const party = fake.user('token-of-alice', 'alice')
  const clock = new HurryingClock()
  const api = new UndiciJsonApi({ ...options, url: fake.url }, { clock })
  const participant = new Participant(api, clock)
  const broke: boolean[] = []
  const life = new AbortController()
  const { signal } = life
  const updates = new ParticipantUpdates({ participant, signal, broke: (_, isLast) => broke.push(isLast) })
  const reads = await updates.open('token-of-alice')
  return {
    fake,
    party,
    clock,
    api,
    participant,
    updates,
    reads,
    broke,
    reader: { userId: 'alice', token: 'token-of-alice' },
    life,
    signal,
    async [Symbol.asyncDispose]() {
      life.abort(new Error('the test is over'))
      await api[Symbol.asyncDispose]()
      await fake[Symbol.asyncDispose]()
    },
  }
}
