import { describe, expect, test } from 'vitest'
import type { Filing } from '../../src/core/scan/evidence-log.ts'
import { liveParts } from '../../src/server/ui/views/page.ts'
import { rosterRows, rosterTable, summaryView } from '../../src/server/ui/views/roster.ts'
import { disagreement, member, model, textOf } from './samples.ts'

describe('The roster:', () => {
  test('shows agreement and latency of the last hour, sv-2 before sv-10', () => {
    const members = [member('sv-10', { reachable: false }), member('sv-2', { operator: 'Two' })]
    const roster = {
      dso: '',
      superValidators: { n: 2, f: 0, threshold: 1 },
      operators: undefined,
      isProtected: false,
      members,
    }
    const shown = textOf(rosterTable(rosterRows(members)))
    expect(shown).toMatch(
      /sv-2 Two · scan\.sv-2\.example 90% 9 agreed, 1 dissented 50 ms at most 200 ms 1st – sv-10 not reachable/,
    )
    expect(textOf(summaryView({ roster, waitingFor: undefined, seeds: [] }))).toMatch(
      /Super validators 2 Reachable 1 .*one liar can change an answer, and nobody would notice/,
    )
  })

  test('says which super validators are never asked, and which have not replied yet', () => {
    const standing = { place: 2, expectedMs: undefined, lateMs: 250 }
    const members = [member('sv-1', { standing: undefined }), member('sv-2', { standing })]
    expect(textOf(rosterTable(rosterRows(members)))).toMatch(/ never ✕ sv-2 .* 2nd nothing heard yet/)
  })

  test('says where there was no vote, and whom nobody can ask', () => {
    const none = { agree: 0, dissent: 0, unchecked: 0, lag: 0, ahead: 0, split: 0, abstain: 0, fault: 0 }
    const hour = {
      votes: none,
      minutes: [none],
      answered: 0,
      meanSeconds: undefined,
      slowestSeconds: undefined,
    }
    const members = [member('sv-1', { hour, host: undefined, reachable: undefined })]
    expect(textOf(rosterTable(rosterRows(members)))).toMatch(
      /not asked yet · publishes no address no vote in the last hour –/,
    )
  })

  test('has a banner where fewer are reachable than have to agree', () => {
    const { roster } = model()
    if (roster === undefined) throw new Error('the sample has a roster')
    const reachable = (many: number) => ({
      ...roster,
      members: roster.members.map((each, index) => ({ ...each, reachable: index < many })),
    })
    const summary = (many: number) =>
      textOf(summaryView({ roster: reachable(many), waitingFor: undefined, seeds: [] }))
    expect(summary(1)).toContain(
      'Nobody has the threshold: 1 of 4 super validators are reachable, and 2 have to',
    )
    expect(summary(2)).not.toContain('Nobody has the threshold')
  })
})

describe('A reader of the roster', () => {
  test('sees in the table that a dissent is being checked', () => {
    const page = (dissent: Record<string, 'pending' | 'lag'>) => {
      const { lists } = liveParts(model({ disagreements: [disagreement({ dissent })] }))
      return lists['live-roster']?.[2]?.html ?? ''
    }
    const pending = page({ 'sv-3': 'pending' })
    expect(pending).not.toContain('100%')
    expect(pending).toContain('<span class="share poor">1 being checked</span>')
    expect(page({ 'sv-3': 'lag' })).not.toContain('being checked')
  })

  test('sees no full agreement beside a vote that is being checked', () => {
    const votes = { agree: 9, dissent: 0, unchecked: 0, lag: 0, ahead: 0, split: 0, abstain: 0, fault: 0 }
    const { hour } = member('sv-3')
    const shown = (pending: number) =>
      textOf(
        rosterTable(
          rosterRows([member('sv-3', { hour: { ...hour, votes } })], {
            pending: new Map([['sv-3', pending]]),
            lastBeyondFAt: undefined,
          }),
        ),
      )
    expect(shown(0)).toContain('100% 9 agreed')
    expect(shown(1)).toContain('90% 9 agreed 1 being checked')
  })
})

describe('Where more than f contradicted an agreed answer within the hour,', () => {
  const at = new Date(model().machineMs - 20 * 60_000).toISOString()
  const page = (dissent: Record<string, Filing>) =>
    liveParts(model({ disagreements: [disagreement({ at, dissent })] }))

  test('the roster and the heat map blame nobody, and a banner says why', () => {
    const { parts, lists } = page({ 'sv-2': 'dissent', 'sv-3': 'split' })
    expect(parts['live-doubt']).toContain('More than f\u00a0=\u00a01 super validators contradicted an agreed')
    expect(lists['live-roster']?.every((row) => row.html.includes('class="share neutral"'))).toBe(true)
    expect(lists['live-heat']?.every((row) => row.html.includes('class="doubtful"'))).toBe(true)
  })

  test('this stays so after the rechecks found that the difference was gone', () => {
    const { parts, lists } = page({ 'sv-2': 'lag', 'sv-3': 'lag' })
    expect(textOf(parts['live-doubt'] as never)).toContain('contradicted an agreed answer at 11:40 UTC')
    expect(lists['live-roster']?.every((row) => row.html.includes('class="share neutral"'))).toBe(true)
    expect(lists['live-heat']?.every((row) => row.html.includes('class="doubtful"'))).toBe(true)
  })

  test('no more than f dissenters stay marked as such', () => {
    const { parts, lists } = page({ 'sv-2': 'dissent' })
    expect(parts['live-doubt']).toBe('')
    expect(lists['live-roster']?.every((row) => row.html.includes('class="share bad"'))).toBe(true)
  })
})
