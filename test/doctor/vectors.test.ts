import { describe, expect, test } from 'vitest'
import { differenceOf } from '../../src/doctor/difference.ts'
import type { ConnectProblem } from '../../src/doctor/inspect-connection.ts'
import type { Observation } from '../../src/doctor/observation.ts'
import type { StepId } from '../../src/doctor/report.ts'
import { showSpan } from '../../src/doctor/texts.ts'
import { connected, now, reportOn, said, upTo, wellSeen } from './observations.ts'

const others = [wellSeen, wellSeen, wellSeen]

function reportAmongHealthy(seen: Partial<Observation>, egressAddresses: readonly string[] = []) {
  const report = reportOn({ observations: [{ ...wellSeen, ...seen }, ...others], egressAddresses })
  const [one] = report.superValidators
  if (one === undefined) throw new Error('nothing was examined')
  return { report, one }
}

const failing = (step: 'dns' | 'tcp' | 'tls', problem: ConnectProblem) =>
  reportAmongHealthy({
    connection: { ...connected, [step]: { kind: 'failed', problem, detail: 'what Node says' } },
  })

const notAsked = { kind: 'not-asked' } as const
const unheard = { version: notAsked, dso: notAsked, synchronizer: notAsked }

describe('What failed, and the words for it:', () => {
  test.each<[step: 'dns' | 'tcp' | 'tls', problem: ConnectProblem, word: string, detail: RegExp]>([
    ['tcp', 'reset', 'reset', /resets connections; a firewall may reject/],
    ['tcp', 'no-route', 'route', /^This machine has no route to /],
    ['tcp', 'other', 'error', /^No connection to .*: what Node says\.$/],
  ])('%s, %s: %s', (step, problem, word, detail) => {
    expect(failing(step, problem).one.steps[step]).toEqual({
      outcome: 'failed',
      word,
      detail: expect.stringMatching(detail),
    })
  })

  test.each<[seen: Partial<Observation>, step: StepId, word: string, detail: RegExp]>([
    [
      { version: { kind: 'status', status: 401, text: '' } },
      'version',
      '401',
      /without a text\. Most likely/,
    ],
    [{ version: { kind: 'status', status: 302, text: '' } }, 'version', '302', /follows no redirect\.$/],
    [
      { version: { kind: 'status', status: 500, text: 'x' } },
      'version',
      '500',
      /^It answers 500 to \/version: "x"\.$/,
    ],
    [{ version: { kind: 'fault', fault: 'held-back', detail: 'x' } }, 'version', 'limited', /: x\.$/],
    [{ progress: said(upTo(3 * 86_400_000)) }, 'head', '-2d', /2 d 23 h behind the others\.$/],
    [{ progress: said(null) }, 'head', 'none', /^It has no updates of the ledger yet\.$/],
    [
      { snapshot: said(null) },
      'snapshot',
      'none',
      /^It has no snapshot; the others have one of 2026-03-01T11:00:00Z\.$/,
    ],
  ])('%j: %s is %s', (seen, step, word, detail) => {
    const finding = reportAmongHealthy(seen).one.steps[step]
    expect(finding).toEqual({ outcome: 'failed', word, detail: expect.stringMatching(detail) })
  })

  test('two that say one thing and two that say another have no majority', () => {
    const other = { ...wellSeen, dso: said('DSO::1220ee') }
    const report = reportOn({ observations: [wellSeen, wellSeen, other, other] })
    expect(report.superValidators.map(({ steps }) => steps.dso.word)).toEqual(Array(4).fill('split'))
    expect(report.verdict.kind).toBe('not-enough')
    const says = report.verdict.sentences.join(' ')
    expect(says).toContain(
      'All answer from here, but they contradict each other at dso (split): more super validators than f may lie. The cause is not on this side.',
    )
    expect(says).not.toContain('forward proxy')
  })

  test('where all fail alike, the verdict says on which side to look', () => {
    const all = (seen: Partial<Observation>) =>
      reportOn({ observations: others.map((one) => ({ ...one, ...unheard, ...seen })) }).verdict.sentences
    const refused = { kind: 'status', status: 403, text: '' } as const
    expect(all({ version: refused, dso: refused })).toContain(
      "All fail alike at version (403): most likely nobody has allowed this machine's address yet. Send them the texts below.",
    )
    const tls = { kind: 'failed', problem: 'untrusted', detail: '' } as const
    expect(all({ connection: { ...connected, tls } })).toContain(
      "All fail alike at tls (issuer): most likely the cause is on this side. Check this machine's DNS, firewall, clock and forward proxy.",
    )
    const dns = { kind: 'failed', problem: 'blocked', detail: '' } as const
    expect(all({ connection: { ...connected, dns } })).toContain(
      'All are blocked by options of this daemon: see scanClient.allowHttp and scanClient.allowPrivate, and the reasons below.',
    )
    expect(all({}).join(' ')).not.toContain('alike')
    expect(failing('tls', 'untrusted').report.verdict.sentences.join(' ')).not.toContain('alike')
  })

  test('a certificate that ends within two weeks is mentioned, and no failure', () => {
    const certificate = {
      ...connected.certificate,
      endsAt: now + 5 * 86_400_000,
    } as typeof connected.certificate
    const { one, report } = reportAmongHealthy({ connection: { ...connected, certificate } })
    expect(one.steps.tls).toMatchObject({ outcome: 'ok', word: 'soon' })
    expect(one.steps.tls.detail).toMatch(/^The certificate ends in 5 d\. Its certificate is for /)
    expect(report.verdict.kind).toBe('well')
  })
})

describe('Texts to send:', () => {
  const refused = { kind: 'status', status: 403, text: 'RBAC: access denied' } as const

  test('who, from which address, what was seen, what to allow', () => {
    const { report } = reportAmongHealthy({ version: refused, dso: refused }, ['203.0.113.7', '203.0.113.8'])
    expect(report.letters).toEqual([
      {
        superValidators: ['sv-0'],
        operator: null,
        url: 'https://scan-0.example.org',
        subject: 'Please allow 203.0.113.7 and 203.0.113.8 to read the scan of sv-0',
        text: [
          'To the operator of the super validator sv-0:',
          '',
          `We read the scans of all super validators of the network of ${report.roster.dso}, and cannot read yours:`,
          'from our address 203.0.113.7 and 203.0.113.8 to scan-0.example.org (203.0.113.20) requests are answered with status 403, seen at 2026-03-01T12:00:00.000Z.',
          'Your side says: "RBAC: access denied"',
          '',
          'Please allow TCP port 443 on scan-0.example.org for 203.0.113.7 and 203.0.113.8, for the paths /api/scan/ and /registry/.',
          'If our address is allowed already, please tell us what your side sees of these requests.',
        ].join('\n'),
      },
    ])
  })

  test('a scan that takes connections and never answers gets one', () => {
    const version = { kind: 'fault', fault: 'timeout', detail: 'no answer within 5000 ms' } as const
    const { report } = reportAmongHealthy({ version }, ['203.0.113.7'])
    expect(report.letters).toHaveLength(1)
    expect(report.letters[0]?.text).toContain('(203.0.113.20) requests get no answer, seen at')
  })

  test('name the operator, where one is configured', () => {
    const operators = { 'One Company': ['sv-0'] }
    const report = reportOn({
      observations: [{ ...wellSeen, version: refused, dso: refused }, ...others],
      operators,
    })
    expect(report.letters[0]?.text).toMatch(/^To the operator of the super validator sv-0 \(One Company\):/)
  })
})

describe('The egress address', () => {
  const says = (connection: Partial<typeof connected>, configured: readonly string[] = []) =>
    reportOn({
      observations: [{ ...wellSeen, connection: { ...connected, ...connection } }],
      egressAddresses: configured,
    }).egress.says

  test('is the configured one', () => {
    expect(says({}, ['203.0.113.7'])).toBe(
      'Requests leave from 203.0.113.7, as scanClient.egressAddresses says.',
    )
  })

  test('is not known behind a NAT gateway, and the report says whom to ask', () => {
    expect(says({ localAddress: '10.0.0.5' })).toBe(
      'The address that super validators see is not configured. This machine connects from 10.0.0.5, which is not public: ask whoever runs this network for the public address of its NAT gateway, and set scanClient.egressAddresses (SCAN_EGRESS_ADDRESSES).',
    )
  })

  test('is most likely a public address of this machine', () => {
    expect(says({ localAddress: '8.8.4.4' })).toContain(
      'connects from 8.8.4.4, which is public and most likely',
    )
  })

  test('is that of the forward proxy, where there is one', () => {
    expect(says({ proxy: 'proxy.example.org:3128', localAddress: '10.0.0.5' })).toContain(
      'through the forward proxy proxy.example.org:3128: ask whoever runs it for its public address',
    )
  })
})

test('a super validator that is new or gone is neither better nor worse', () => {
  const [two, three] = [reportOn({ observations: [wellSeen, wellSeen] }), reportOn({ observations: others })]
  expect(differenceOf(two, three)).toMatchObject({ better: [], worse: [], joined: ['sv-2'], left: [] })
  expect(differenceOf(three, two)).toMatchObject({ better: [], worse: [], joined: [], left: ['sv-2'] })
})

test.each([
  [0, '0 s'],
  [59_400, '59 s'],
  [61_000, '1 min 1 s'],
  [3_600_000, '1 h'],
  [7_500_000, '2 h 5 min'],
  [90_000_000, '1 d 1 h'],
])('%i ms are shown as %s', (ms, shown) => {
  expect(showSpan(ms)).toBe(shown)
})

const skipped = { kind: 'skipped' } as const

test('a report does not ask for the address of this machine where no request left it', () => {
  const dns = { kind: 'failed', problem: 'no-address', detail: 'ENOTFOUND' } as const
  const nameless = { ...connected, addresses: [], localAddress: null, dns, tcp: skipped, tls: skipped }
  const unresolved: Observation = { ...wellSeen, ...unheard, connection: { ...nameless, certificate: null } }
  const { says } = reportOn({ observations: [unresolved, unresolved, unresolved] }).egress
  expect(says).toBe('No request left this machine, so no super validator has seen its address.')
  const tcp = { kind: 'failed', problem: 'timeout', detail: '' } as const
  const dropped: Observation = {
    ...unresolved,
    connection: { ...connected, localAddress: null, tcp, tls: skipped },
  }
  expect(reportOn({ observations: [unresolved, dropped] }).egress.says).toContain('SCAN_EGRESS_ADDRESSES')
})
