import { digest } from '../lib/digest.ts'
import { type Case, type CaseStatement, splitView } from '../scan/evidence-log.ts'
import { type NotedEpoch, signedNote, signedObservation } from './noted-epoch.ts'
import type { ObservationRef } from './noted-history.ts'
import type { SvObservation } from './observation.ts'
import type { SignedNote } from './signed-note.ts'

export interface SplitView {
  readonly own: ObservationRef
  readonly theirs: ObservationRef
  readonly peer: string
}

function observationOf({ noted, index }: ObservationRef): SvObservation {
  return noted.observations[index] as SvObservation
}

/**
 * Either the super validator told the two daemons different things, or one of the daemons lies. The
 * evidence cannot show which is true.
 */
export function splitViewCase({ own, theirs, peer }: SplitView, wall: number): Case {
  const { sv, subject } = observationOf(own)
  return {
    at: new Date(wall).toISOString(),
    read: splitView,
    params: digest(subject),
    question: { subject, peer, ...epochsOf(own.noted, theirs.noted) },
    outcome: 'disputed',
    rule: `${sv} told this daemon and ${peer} two stories of one subject, or one of the two daemons lies`,
    agreed: null,
    statements: [statementOf(own), statementOf(theirs)],
    silent: [],
    dissent: {},
  }
}

function epochsOf(own: NotedEpoch, theirs: NotedEpoch) {
  return { epoch: String(own.epoch), peerEpoch: String(theirs.epoch) }
}

export interface TwoNotesNamed {
  readonly peer: string
  readonly shown: NotedEpoch
  readonly other: SignedNote
}

export function twoNotesCase({ peer, shown, other }: TwoNotesNamed, wall: number): Case {
  const { epoch, key, note } = shown
  return {
    at: new Date(wall).toISOString(),
    read: splitView,
    params: digest(`${key.keyid} ${epoch}`),
    question: { peer, peerEpoch: String(epoch) },
    outcome: 'disputed',
    rule: `${peer} signed two notes of one epoch: it tells daemons different stories of what it heard`,
    agreed: null,
    statements: [note, other].map((each) => {
      const body = signedNote({ key, note: each })
      return { kind: 'value', digest: digest(body), body, who: [peer] }
    }),
    silent: [],
    dissent: {},
  }
}

/**
 * The evidence finds a body by the digest of the body. So `digest` here is not the observed digest,
 * but that of the whole signed observation.
 */
function statementOf(said: ObservationRef): CaseStatement {
  const body = signedObservation(said.noted, said.index)
  return { kind: 'value', digest: digest(body), body, who: [observationOf(said).sv] }
}
