export const dso = `DSO::1220${'a'.repeat(64)}`
export const alice = `alice::1220${'c'.repeat(64)}`
export const synchronizer = `global-domain::1220${'b'.repeat(64)}`
export const participant = `PAR::participant::1220${'d'.repeat(64)}`
export const aTime = '2026-03-01T12:00:00.123456Z'

type Payload = Readonly<Record<string, unknown>>

export function contractOf<P extends Payload>(template: string, payload: P, suffix = '00') {
  return {
    template_id: `${'0'.repeat(64)}:${template}`,
    contract_id: `00a1b2${suffix}`,
    payload,
    created_event_blob: 'CgMyLjESAAo=',
    created_at: '2025-01-15T09:30:00.123456Z',
  }
}

export function assigned<P extends Payload>(template: string, payload: P, suffix?: string) {
  return { contract: contractOf(template, payload, suffix), domain_id: synchronizer }
}

export const amuletRules = assigned('Splice.AmuletRules:AmuletRules', {
  dso,
  configSchedule: {
    initialValue: { decentralizedSynchronizer: { activeSynchronizer: synchronizer } },
    futureValues: [],
  },
})

export function openRound(number: number) {
  return assigned(
    'Splice.Round:OpenMiningRound',
    { dso, round: { number: String(number) }, tickDuration: { microseconds: '600000000' } },
    `0${number}`,
  )
}
