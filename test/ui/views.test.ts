import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { disagreementsView } from '../../src/ui/views/disagreements.ts'
import { pageView } from '../../src/ui/views/page.ts'
import { quorumView } from '../../src/ui/views/quorum.ts'
import { rosterView, summaryView } from '../../src/ui/views/roster.ts'
import { visible, website } from '../../src/ui/views/text.ts'
import { disagreement, examination, member, model, stand, textOf } from './samples.ts'

/** The tags of a page with their attributes, but for the values of these: what a text that is not escaped would change. */
function tagsOf(html: string): readonly string[] {
  return html.replaceAll(/"[^"]*"/g, '""').match(/<[^>]*>/g) ?? []
}

describe('What others wrote:', () => {
  test('is text and nothing else, wherever it stands', () => {
    const page = (text: string) =>
      pageView(
        model({
          question: { by: 'name', text: `q${text}`, ask: 'all' },
          finding: {
            kind: 'examined',
            examination: examination(
              {
                name: `n${text}`,
                user: `u${text}`,
                description: `d${text}`,
                contract_id: `c${text}`,
                url: `x${text}`,
              },
              {
                stands: [stand(`s${text}`, { operator: `o${text}`, stance: 'silent', why: `w${text}` })],
                disagreement: disagreement(),
              },
            ),
          },
          disagreements: [
            disagreement({
              statements: [
                { kind: 'value', digest: 'true', body: `"${text}1"`, who: [`a${text}`] },
                { kind: 'value', digest: 'false', body: `"${text}2"`, who: [`b${text}`] },
              ],
              dissent: { [`b${text}`]: 'dissent' },
            }),
          ],
          nodes: [{ name: 'sv-1', faults: ['lie'] }],
          faultKinds: [{ kind: 'lie', sentence: 'lies' }],
          registration: { acronym: 'cns' },
          refused: { form: 'fault', why: `r${text}` },
        }),
      ).toString()
    const plain = tagsOf(page('plain'))
    const hostile = fc.oneof(
      fc.constantFrom(
        '<script>alert(1)</script>',
        '"><img src=x onerror=alert(1)>',
        "' autofocus onfocus='alert(1)",
        '</textarea><svg/onload=x>',
      ),
      fc
        .array(fc.constantFrom('<', '>', '"', "'", '&', '=', ' ', '/', 'script'), { maxLength: 8 })
        .map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(hostile, (text) => {
        expect(tagsOf(page(text))).toEqual(plain)
      }),
    )
  })

  test('is a link only where it leads to a website', () => {
    expect(website('https://alice.example/a?b="c"').toString()).toContain(
      'href="https://alice.example/a?b=&quot;c&quot;"',
    )
    for (const url of [
      'javascript:alert(1)',
      ' javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      'data:text/html,x',
      '//evil.example',
      'https:evil',
      'http://',
      'https://a\u202eb.example',
    ]) {
      expect(website(url).toString(), url).not.toContain('href')
    }
  })

  test('shows what cannot be seen, and does not turn what is around it', () => {
    expect(visible('a\u202egnp.exe\u200b\0')).toBe('a⟨U+202E⟩gnp.exe⟨U+200B⟩⟨U+0000⟩')
    expect(visible('ein Name, 名前, שם')).toBe('ein Name, 名前, שם')
    expect(textOf(website('ftp://a\u2066'))).toContain('⟨U+2066⟩')
  })
})

describe('The page:', () => {
  test('holds no style, script or event handler of its own, and no address of another place', () => {
    const page = pageView(
      model({ finding: { kind: 'examined', examination: examination({}) }, disagreements: [disagreement()] }),
    ).toString()
    expect(page).not.toMatch(/ style=|<style|<script>| on[a-z]+=/)
    for (const [, address = ''] of page.matchAll(/(?:src|href|action)="([^"]*)"/g))
      expect(address).toMatch(/^(?:\.\/|ui\/|#)/)
  })

  test('gives buttons for faults and names only where there is something to try out', () => {
    const looking = pageView(model()).toString()
    expect(looking).not.toContain('method="post"')
    const trying = model({
      nodes: [{ name: 'sv-1', faults: [] }],
      faultKinds: [{ kind: 'lie', sentence: 'lies' }],
    })
    expect(pageView(trying).toString()).toContain('action="ui/faults"')
    expect(pageView(trying).toString()).not.toContain('action="ui/registrations"')
    expect(pageView({ ...trying, registration: { acronym: 'cns' } }).toString()).toContain(
      'action="ui/registrations"',
    )
  })

  test('says so while there is no roster', () => {
    const page = textOf(pageView(model({ roster: undefined, waitingFor: '3 of 4 seeds' })))
    expect(page).toContain('No roster of super validators is agreed yet: 3 of 4 seeds .')
  })
})

describe('A quorum is drawn:', () => {
  const stands = [
    stand('sv-1', { operator: 'One', seconds: 0.0042 }),
    stand('sv-2', { operator: 'One', stance: 'dissented', seconds: 0.02 }),
    stand('sv-10', { stance: 'silent', why: 'timeout' }),
    stand('sv-9', { stance: 'unasked' }),
  ]

  test('every super validator with where it stands, by operator', () => {
    const drawn = textOf(quorumView(examination({}, { stands })))
    expect(drawn).toContain('One ✓ sv-1 agreed · 4.2 ms ✕ sv-2 dissented · 20 ms')
    expect(drawn).toMatch(/sv-9 not asked .*sv-10 silent · timeout/)
    expect(drawn).toContain('1 agreed ✕ 1 dissented – 1 silent 1 not asked')
  })

  test('with the threshold at its place, f and the time', () => {
    const drawn = quorumView(examination({}, { stands })).toString()
    const scale = /<ol class="scale"[^>]*>(.*?)<\/ol>/s.exec(drawn)?.[1] ?? ''
    const segments = [...scale.matchAll(/<li class="stance-(\w+)">(.*?)<\/li>/gs)].map(
      ([, stance, inside]) => [stance, textOf(inside as never).trim()],
    )
    expect(segments).toEqual([
      ['agreed', ''],
      ['dissented', '2 needed'],
      ['silent', ''],
      ['unasked', ''],
    ])
    expect(textOf(drawn as never)).toMatch(/Agreed 1 of 4 .*Threshold 2 .*f 1 .*Time 12 ms/)
  })

  test('and a quorum that one lie could win warns', () => {
    expect(textOf(quorumView(examination({}, { protected: false })))).toContain('no lie would be noticed')
    expect(textOf(quorumView(examination({})))).not.toContain('no lie would be noticed')
  })
})

describe('A disagreement:', () => {
  test('shows what was agreed first, beside what was said instead, with the difference marked', () => {
    const view = disagreementsView([disagreement()], true).toString()
    expect(textOf(view as never)).toMatch(
      /What was agreed sv-1 and sv-2 What was said instead sv-3 and sv-10/,
    )
    expect([...view.matchAll(/<mark>(.*?)<\/mark>/g)].map(([, marked]) => marked)).toEqual([
      'alice',
      'mallory',
    ])
    expect(textOf(view as never)).toContain('sv-3 asked again within a minute')
  })

  test('where a list was agreed item by item, what most said is first, dissenters not counted', () => {
    const [, second] = disagreement().statements
    const statements = [
      { ...second, digest: 'a', who: ['x', 'y', 'z'] },
      { ...second, digest: 'b', who: ['u'] },
    ] as never
    const view = disagreementsView(
      [disagreement({ agreed: null, statements, dissent: { x: 'dissent', y: 'split', z: 'pending' } })],
      true,
    )
    expect(textOf(view)).toMatch(/What most said u What was said instead x, y and z/)
    expect(textOf(view)).toContain('y says so with enough others that one of them is honest: filed as split')
  })

  test('of hundreds of lines shows those around the difference', () => {
    const body = (at: number) =>
      JSON.stringify(Array.from({ length: 300 }, (_, index) => (index === at ? 'x' : index)))
    const statements = [body(100), body(-1)].map((text, index) => ({
      kind: 'value',
      digest: ['true', 'b'][index],
      body: text,
      who: [`sv-${index}`],
    })) as never
    const view = disagreementsView([disagreement({ statements })], true)
    expect(textOf(view)).toMatch(
      /99 lines alike 98, 98, 99, 99, &quot;x&quot; , 100 , 101, 101, 102, 102, 198 lines alike/,
    )
  })

  test('is closed where something else is asked for', () => {
    expect(disagreementsView([disagreement()], false).toString()).not.toContain('open')
    expect(textOf(disagreementsView([], true))).toContain('Nobody has contradicted the others')
  })
})

describe('The roster:', () => {
  test('shows agreement and latency of the last hour, sv-2 before sv-10', () => {
    const members = [member('sv-10', { reachable: false }), member('sv-2', { operator: 'Two' })]
    const roster = {
      superValidators: { n: 2, f: 0, threshold: 1 },
      operators: undefined,
      isProtected: false,
      members,
    }
    const shown = textOf(rosterView({ roster }))
    expect(shown).toMatch(
      /sv-2 Two · scan\.sv-2\.example 90% 9 agreed, 1 dissented 50 ms at most 200 ms 1\. usually 40 ms sv-10 not reachable/,
    )
    expect(textOf(summaryView({ roster, waitingFor: undefined }))).toMatch(
      /Super validators 2 Reachable 1 .*Lies are not noticed/,
    )
  })

  test('says who is never asked, and of whom nothing was heard yet', () => {
    const standing = { place: 2, expectedMs: undefined, lateMs: 250 }
    const members = [member('sv-1', { standing: undefined }), member('sv-2', { standing })]
    const roster = {
      superValidators: { n: 2, f: 0, threshold: 1 },
      operators: undefined,
      isProtected: false,
      members,
    }
    expect(textOf(rosterView({ roster }))).toMatch(/ never sv-2 .* 2\. nothing heard yet/)
  })

  test('says where there was no vote, and whom nobody can ask', () => {
    const none = { agree: 0, dissent: 0, unchecked: 0, lag: 0, split: 0, abstain: 0, fault: 0 }
    const hour = {
      votes: none,
      minutes: [none],
      answered: 0,
      meanSeconds: undefined,
      slowestSeconds: undefined,
    }
    const members = [member('sv-1', { hour, host: undefined, reachable: undefined })]
    const roster = {
      superValidators: { n: 1, f: 0, threshold: 1 },
      operators: undefined,
      isProtected: false,
      members,
    }
    expect(textOf(rosterView({ roster }))).toMatch(
      /not asked yet · publishes no address no vote in the last hour –/,
    )
  })
})
