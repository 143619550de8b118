import type { Filing } from '../scan/evidence-log.ts'
import type { DaemonMember, DaemonStatus, EvidenceCase } from './running-daemon.ts'
import { isReachable } from './status-lines.ts'

export type Sight =
  | {
      readonly answers: true
      readonly status: DaemonStatus
      readonly cases: readonly EvidenceCase[]
      readonly recent: readonly EvidenceCase[]
    }
  | { readonly answers: false; readonly why: string }

export type Change =
  | { readonly kind: 'daemon'; readonly answers: true; readonly version: string; readonly network: string }
  | { readonly kind: 'daemon'; readonly answers: false; readonly why: string }
  | { readonly kind: 'ready'; readonly ready: boolean; readonly waitingFor?: string }
  | { readonly kind: 'super-validator'; readonly name: string; readonly state: MemberState }
  | {
      readonly kind: 'disagreement'
      readonly read: string
      readonly found: string
      readonly outcome: string
      readonly dissenters: readonly string[]
    }
  | {
      readonly kind: 'filed'
      readonly read: string
      readonly found: string
      readonly name: string
      readonly as: Filing
    }

export type MemberState = 'joined' | 'left' | 'reachable' | 'unreachable' | 'set-aside'

/**
 * If several polls in a row get no answer, only the first of them is a change. When the daemon
 * answers again, its whole state is listed.
 */
export function changesBetween(before: Sight | undefined, now: Sight): readonly Change[] {
  if (!now.answers) return before?.answers === false ? [] : [{ kind: 'daemon', answers: false, why: now.why }]
  const was = before?.answers === true ? before : undefined
  return [
    ...(was === undefined ? [greeting(now.status)] : []),
    ...readyChanges(was?.status, now.status),
    ...memberChanges(was?.status, now.status),
    ...caseChanges(was?.cases, now.cases),
  ]
}

function greeting({ version, network }: DaemonStatus): Change {
  return { kind: 'daemon', answers: true, version, network }
}

function readyChanges(was: DaemonStatus | undefined, { ready, waitingFor }: DaemonStatus): readonly Change[] {
  if (was?.ready === ready && was.waitingFor === waitingFor) return []
  return [{ kind: 'ready', ready, ...(waitingFor === undefined ? {} : { waitingFor }) }]
}

function memberChanges(was: DaemonStatus | undefined, now: DaemonStatus): readonly Change[] {
  const before = membersOf(was)
  const after = membersOf(now)
  const isFirst = before.size === 0
  const change = (name: string, state: MemberState): Change => ({ kind: 'super-validator', name, state })
  const left = [...before.keys()].filter((name) => !after.has(name)).map((name) => change(name, 'left'))
  const others = [...after].flatMap(([name, state]) => {
    if (!before.has(name))
      return [
        ...(isFirst ? [] : [change(name, 'joined')]),
        ...(state === 'reachable' ? [] : [change(name, state)]),
      ]
    return before.get(name) === state ? [] : [change(name, state)]
  })
  return [...left, ...others]
}

function membersOf(status: DaemonStatus | undefined): ReadonlyMap<string, MemberState> {
  const members = status?.roster?.superValidators ?? []
  return new Map(members.map((member) => [member.names[0] ?? '', stateOfMember(member)]))
}

function stateOfMember(member: DaemonMember): MemberState {
  if (member.cordoned) return 'set-aside'
  return isReachable(member) ? 'reachable' : 'unreachable'
}

function caseChanges(
  was: readonly EvidenceCase[] | undefined,
  now: readonly EvidenceCase[],
): readonly Change[] {
  if (was === undefined) return []
  const before = new Map(was.map((kept) => [keyOf(kept), kept]))
  return now.toReversed().flatMap((kept) => {
    const { read, at: found, outcome, dissent } = kept
    const known = before.get(keyOf(kept))
    const filed = Object.entries(dissent).flatMap(([name, as]): readonly Change[] =>
      as === 'pending' || known?.dissent[name] === as ? [] : [{ kind: 'filed', read, found, name, as }],
    )
    if (known !== undefined) return filed
    return [{ kind: 'disagreement', read, found, outcome, dissenters: Object.keys(dissent) }, ...filed]
  })
}

function keyOf({ at, read, params }: EvidenceCase): string {
  return `${at} ${read} ${params}`
}
