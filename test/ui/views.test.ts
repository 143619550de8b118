import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { DoctorReport } from '../../src/doctor/report.ts'
import { pageView } from '../../src/server/ui/views/page.ts'
import { caseView } from '../../src/server/ui/views/stories.ts'
import { clipped, foreign, shortened, visible, website } from '../../src/server/ui/views/text.ts'
import { reportOn, wellSeen } from '../doctor/observations.ts'
import { course, disagreement, examination, model, shownDoctor, stand, textOf } from './samples.ts'

/** Leaves out the values of attributes. A text that is not escaped would add tags. */
function tagsOf(html: string): readonly string[] {
  return html.replaceAll(/"[^"]*"/g, '""').match(/<[^>]*>/g) ?? []
}

function reportSaying(text: string): DoctorReport {
  const report = reportOn({ observations: [wellSeen, wellSeen] })
  const told = { outcome: 'failed', word: `w${text}`, detail: `d${text}` } as const
  return {
    ...report,
    network: `n${text}`,
    egress: { ...report.egress, says: `e${text}` },
    superValidators: report.superValidators.map((one) => ({
      ...one,
      names: [`s${text}`],
      operator: `o${text}`,
      url: `u${text}`,
      steps: { ...one.steps, version: told, history: told },
    })),
    verdict: { kind: 'not-enough', sentences: [`g${text}`, `v${text}`] },
    letters: [
      { superValidators: [`s${text}`], operator: `o${text}`, url: '', subject: `j${text}`, text: `t${text}` },
    ],
  }
}

describe('What others wrote:', () => {
  test('is text and nothing else, wherever it stands', () => {
    const page = (text: string) => {
      const told = model({
        question: { by: 'name', text: `q${text}`, ask: 'all', strict: false },
        finding: {
          kind: 'examined',
          askedAt: 0,
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
          course: course([`s${text}`]),
          history: [],
        },
        seeds: [{ url: `u${text}`, outcome: 'refused', detail: `d${text}`, at: '2026-01-01T12:00:00.000Z' }],
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
        faultKinds: [{ kind: 'lie', sentence: 'lies', group: 'What it says' }],
        registration: { acronym: 'cns' },
        refused: { form: 'registration', why: `r${text}`, typed: { name: `t${text}`, url: `t${text}` } },
        tourStepsDone: 0,
        doctor: shownDoctor({ report: reportSaying(text) }),
      })
      const places = [
        ...(['lookup', 'network', 'receipts', 'localnet'] as const).map((page) => ({ page })),
        { page: 'sv', name: `n${text}` } as const,
        { page: 'sv', name: 'sv-1' } as const,
      ]
      return (
        places.map((place) => pageView({ ...told, place })).join('') +
        caseView(disagreement({ dissent: { [`c${text}`]: 'dissent' } }), 1)
      )
    }
    const firstDay = (text: string) =>
      pageView(
        model({
          roster: undefined,
          waitingFor: `w${text}`,
          seeds: [
            { url: `u${text}`, outcome: 'refused', detail: `d${text}`, at: '2026-01-01T12:00:00.000Z' },
          ],
          doctor: shownDoctor({ failure: `f${text}` }),
        }),
      ).toString()
    const plain = tagsOf(page('plain'))
    const plainFirstDay = tagsOf(firstDay('plain'))
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
        expect(tagsOf(firstDay(text))).toEqual(plainFirstDay)
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

  test('is cut in the middle where it is long: between characters, with the whole text where the pointer rests', () => {
    const texts = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 40 })
      .chain((part) => fc.integer({ min: 1, max: 80 }).map((times) => part.repeat(times)))
    fc.assert(
      fc.property(texts, (text) => {
        const short = shortened(text, 140)
        expect(short.length).toBeLessThanOrEqual(140)
        expect(short.isWellFormed()).toBe(true)
        if (text.length <= 140) {
          expect(clipped(text).toString()).toBe(foreign(text).toString())
          return
        }
        const [begin = '', end = ''] = [
          short.slice(0, short.indexOf('…')),
          short.slice(short.lastIndexOf('…') + 1),
        ]
        expect(text.startsWith(begin) && text.endsWith(end)).toBe(true)
        expect(end).not.toMatch(/^\p{M}/u)
      }),
    )
    expect(clipped('a'.repeat(200)).toString()).toContain(`title="${'a'.repeat(200)}"`)
  })

  test('shows what cannot be seen, and does not turn what is around it', () => {
    expect(visible('a\u202egnp.exe\u200b\0')).toBe('a⟨U+202E⟩gnp.exe⟨U+200B⟩⟨U+0000⟩')
    expect(visible('ein Name, 名前, שם')).toBe('ein Name, 名前, שם')
    expect(textOf(website('ftp://a\u2066'))).toContain('⟨U+2066⟩')
  })
})

describe('The page:', () => {
  test.each([
    ['mainnet', 'MainNet'],
    ['testnet', 'TestNet'],
    ['devnet', 'DevNet'],
    ['localnet', 'LocalNet'],
    ['remote', 'Remote network'],
  ] as const)('always shows the network: %s, with the fingerprint of its DSO', (network, label) => {
    const page = pageView(model({ network })).toString()
    expect(page).toContain(`<html lang="en" data-network="${network}"`)
    expect(textOf(page as never)).toContain(`${label} DSO 1220b1…accc`)
    expect(page).toContain(
      'data-copy="DSO::1220b1431ef217342db44d516bb9befde802be7d8899637d290895fa58880f19accc"',
    )
  })
})

describe('A disagreement:', () => {
  test('shows what was agreed first, beside what was said instead, with the difference marked', () => {
    const view = caseView(disagreement(), 1).toString()
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
    const view = caseView(
      disagreement({ agreed: null, statements, dissent: { x: 'dissent', y: 'split', z: 'pending' } }),
      3,
    )
    expect(textOf(view)).toMatch(/What most said u What was said instead x , y and z/)
    expect(textOf(view)).toContain('y says so with enough others that one of them is honest: filed as split')
  })
})

test.each([
  ['localnet', 'Made-up names of a localnet, as enough'],
  ['mainnet', 'Names of the Canton Network, as enough'],
] as const)('a shared link to the page of a %s says: %s', (network, says) => {
  const page = pageView(model({ network, publicPort: undefined })).toString()
  expect(page).toContain(`<meta property="og:description" content="${says}`)
})
