import { afterEach, describe, expect, test } from 'vitest'
import { commandHere } from '../cli/command.ts'
import { examineScans, superValidator, wordsOf } from '../doctor/stage.ts'
import { advanceBy, type Running, startRemote } from '../support/daemon.ts'
import { Scans } from '../support/scans.ts'
import { byName } from './questions.ts'

interface Network extends AsyncDisposable {
  readonly scans: Scans
  readonly daemon: Running
}

let open: Network | undefined
afterEach(async () => {
  await open?.[Symbol.asyncDispose]()
  open = undefined
})

/** Four super validators whose scans name these releases, and a daemon that has asked for them. */
async function networkOf(...versions: readonly unknown[]): Promise<Network> {
  const scans = await Scans.listen('sv-1', 'sv-2', 'sv-3', 'sv-4')
  for (const [index, version] of versions.entries()) scans.nodes[index]?.say({ version })
  const daemon = await startRemote(scans.urls)
  open = {
    scans,
    daemon,
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]()
      await scans[Symbol.asyncDispose]()
    },
  }
  await advanceBy(daemon, 3)
  return open
}

function forget(scans: Scans, path: string, count = 3): void {
  for (const node of scans.nodes.slice(0, count)) node.say({ lacks: path })
}

const garbage = [
  undefined,
  null,
  9,
  '',
  'snapshot',
  '0.9',
  '0.9.0\nsv-1  all is well',
  '\u009b31m0.9.0',
  '0.9.0\u202e',
  { toString: '0.9.0' },
  ['0.9.0'],
  '9'.repeat(60_000),
  '0.9.0-'.padEnd(1_048_576, 'a'),
]

describe('A path that three of four scans do not know', () => {
  test.each([
    [
      ['0.9.2', '0.9.2', '0.9.2'],
      'they may be of a newer Splice than this daemon (0.9.2; newest known 0.9.1)',
    ],
    [
      ['1.0.0-snapshot', '0.10.0', '0.7.5'],
      'they may be of a newer Splice than this daemon (1.0.0-snapshot, 0.10.0; newest known 0.9.1)',
    ],
    [
      ['0.5.10', '0.5.10', '0.5.10'],
      'they may be of an older Splice than this daemon (0.5.10; oldest known 0.7.5)',
    ],
    [['0.8.4', '0.8.4', '0.7.5'], 'their Splice (0.8.4, 0.7.5) should have it'],
    [['', null, 'garbage'], 'their releases are not known (known to this daemon: 0.7.5 to 0.9.1)'],
  ])('is told as that where they name %j', async (versions, why) => {
    const { scans, daemon } = await networkOf(...versions)
    forget(scans, 'by-name')
    const { status, headers, text } = await daemon.get(byName('dso.cns'))
    const error = `3 of 4 scans do not know this path; ${why}`
    expect({ status, error: JSON.parse(text).error, code: headers['x-bft-error'] }).toEqual({
      status: 502,
      error,
      code: 'pathUnknownToScans',
    })
    expect(headers['x-bft-quorum']).toMatch(/^agreed=[01], threshold=2, asked=[34], voters=4$/)
    const said = { msg: 'a read was not agreed on', rule: error, outcome: 'undecided' }
    expect(daemon.lines()).toContainEqual(expect.objectContaining(said))
    const { cases } = await daemon.report('/evidence')
    const { text: page } = await daemon.operations('/?by=name&q=dso.cns')
    expect(page).toContain(`4 scans do not know this path; ${why}`)
    expect(page).not.toContain('in time')
    expect(cases).toMatchObject([{ rule: error, silent: [{ who: ['sv-1', 'sv-2', 'sv-3'] }] }])
  })

  test('is told with the release that they have now, after they were upgraded', async () => {
    const { scans, daemon } = await networkOf()
    for (const node of scans.nodes.slice(0, 3)) node.say({ version: '0.9.2', lacks: 'by-name' })
    expect((await daemon.get(byName('dso.cns'))).text).toContain('their Splice (0.7.5) should have it')
    await later(daemon, 61)
    expect((await daemon.get(byName('dso.cns'))).text).toContain('newer Splice than this daemon (0.9.2;')
  })

  test('is not told as that where the others fail, because those cannot say', async () => {
    const { scans, daemon } = await networkOf()
    forget(scans, 'by-name', 1)
    for (const node of scans.nodes.slice(1)) node.say({ refuses: { status: 500, error: 'broken' } })
    expect((await daemon.get(byName('dso.cns'))).headers['x-bft-error']).toBe('notEnoughScans')
  })

  test('is not told as that where one liar says so, and the others disagree', async () => {
    const { scans, daemon } = await networkOf()
    forget(scans, 'by-name', 1)
    for (const node of scans.nodes.slice(1)) node.say({ description: node.svName })
    expect((await daemon.get(byName('dso.cns'))).headers['x-bft-error']).toBe('noConsensus')
  })
})

describe('The release of each scan', () => {
  test('is in /status, in a metric with few labels, in `status` and on the page, newer ones with a warning', async () => {
    const { scans, daemon } = await networkOf('1.0.0-snapshot', '0.9.0', '0.5.10', 'garbage')
    const { roster } = await daemon.report('/status')
    expect(roster).toMatchObject({
      newestKnownRelease: '0.9.1',
      superValidators: [
        { release: '1.0.0-snapshot', newerThanKnown: true },
        { release: '0.9.0' },
        { release: '0.5.10' },
        { release: null },
      ],
    })
    expect(standings((await daemon.operations('/metrics')).text)).toEqual([
      'sv="sv-1",standing="newer"',
      'sv="sv-2",standing="known"',
      'sv="sv-3",standing="older"',
      'sv="sv-4",standing="unknown"',
    ])
    expect(daemon.lines()).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        msg: 'a scan is of a newer Splice than this daemon knows',
        sv: 'sv-1',
        release: '1.0.0-snapshot',
      }),
    )
    const { out } = await commandHere(['status', '--operations', daemon.daemon.operations])
    expect(out).toMatch(
      /^releases +NEWER Splice than this daemon knows \(0\.9\.1\): sv-1 \(1\.0\.0-snapshot\)$/m,
    )
    expect(out).toMatch(/^sv-2 .* 0\.9\.0$/m)
    const { text: page } = await daemon.operations('/network')
    expect(page).toContain('Splice 1.0.0-snapshot, newer than this daemon knows (0.9.1)')
    expect(page).toContain('· Splice 0.9.0')
    scans.nodes[0]?.say({ version: '0.9.1' })
    await later(daemon)
    expect(standings((await daemon.operations('/metrics')).text)).toContain('sv="sv-1",standing="known"')
  })

  test('that changes all the time adds no series', async () => {
    const { scans, daemon } = await networkOf()
    for (let round = 1; round <= 3; round++) {
      scans.nodes[0]?.say({ version: `${round}.0.0-snapshot.${round}`, lacks: 'by-name' })
      // The daemon asks a scan that lacks a path for its release again after a minute.
      await daemon.operations('/?by=name&q=dso.cns')
      await later(daemon, 61)
      const { superValidators } = (await daemon.report('/status')).roster
      expect(superValidators[0].release).toBe(`${round}.0.0-snapshot.${round}`)
    }
    expect(standings((await daemon.operations('/metrics')).text)).toHaveLength(4)
  })

  test.each(garbage.map((version, row) => [row, version]))(
    'is none where /version says garbage: row %i',
    async (_, version) => {
      const { daemon } = await networkOf(version, version)
      const { superValidators } = (await daemon.report('/status')).roster
      expect(superValidators.map(({ release }: { release: unknown }) => release)).toEqual([
        null,
        null,
        '0.7.5',
        '0.7.5',
      ])
      expect((await daemon.get(byName('dso.cns'))).status).toBe(200)
    },
  )

  test('is in the doctor, with a warning where it is newer than those known', async () => {
    const { scans } = await networkOf('1.0.0-snapshot', '0.9.0', 'x\u001b[31m\nsv-9 ok')
    const report = await examineScans({ seedUrls: scans.urls })
    const [one, two, three] = ['sv-1', 'sv-2', 'sv-3'].map((name) => superValidator(report, name))
    expect([one, two, three].map((each) => each?.release)).toEqual(['1.0.0-snapshot', '0.9.0', null])
    expect([one, two, three].map((each) => each && wordsOf(each).version)).toEqual(['1.0.0', '0.9.0', '?'])
    expect(three?.steps.version.detail).toBe('It names no release, but "x [31m sv-9 ok".')
    expect(report.verdict.sentences).toContain(
      'These run a newer Splice than this release of the proxy knows (newest known 0.9.1): sv-1 (1.0.0-snapshot). Reads whose paths it changed fail; see whether there is a newer proxy.',
    )
  })
})

/** Each step is shorter than the time-out of a request. */
async function later(daemon: Running, seconds = 601): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 4) {
    daemon.clock.advance(3_000)
    await advanceBy(daemon, 1)
  }
}

function standings(metrics: string): readonly string[] {
  return [...metrics.matchAll(/^scan_proxy_scan_release_info\{(.*)\} 1$/gm)]
    .map(([, labels = '']) => labels)
    .sort()
}
