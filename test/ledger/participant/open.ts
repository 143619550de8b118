import { setImmediate } from 'node:timers'
import { Commands } from '../../../src/registry/ledger/participant/commands.ts'
import { JsonApi } from '../../../src/registry/ledger/participant/json-api.ts'
import { Participant } from '../../../src/registry/ledger/participant/participant.ts'
import { ParticipantLedger } from '../../../src/registry/ledger/participant/participant-ledger.ts'
import { type FakeOptions, FakeParticipant } from '../../support/fake-participant.ts'
import { ManualClock } from '../../support/manual-clock.ts'

/** The shortest wait that counts as a time-out, in milliseconds. A shorter wait is a pause between two attempts. */
const shortestTimeoutMs = 5_000

/** A clock on which pauses between attempts end at once. Time-outs end only when a test moves the clock. */
class HurryingClock extends ManualClock {
  override after(ms: number, run: () => void): () => void {
    if (ms >= shortestTimeoutMs) return super.after(ms, run)
    let cancelled = false
    setImmediate(() => {
      if (!cancelled) run()
    })
    return () => {
      cancelled = true
    }
  }
}

/** Opens the ledger of the user `alice` of a fake participant. */
export async function openLedger(options: FakeOptions = {}) {
  const fake = await FakeParticipant.listen(options)
  const party = fake.user('token-of-alice', 'alice')
  const clock = new HurryingClock()
  const api = new JsonApi(fake.url, clock)
  const participant = new Participant(api, clock)
  const life = new AbortController()
  const signal: AbortSignal = life.signal
  const reader = { userId: 'alice', token: 'token-of-alice' }
  const deps = { participant, commands: new Commands(participant) }
  return {
    fake,
    party,
    clock,
    participant,
    reader,
    signal,
    ledger: new ParticipantLedger({ ...reader, party }, deps, signal),
    async [Symbol.asyncDispose]() {
      life.abort(new Error('the test is over'))
      await api[Symbol.asyncDispose]()
      await fake[Symbol.asyncDispose]()
    },
  }
}
