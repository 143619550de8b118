import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  compareReleases,
  newestKnown,
  oldestKnown,
  pathsOfSomeReleases,
  releaseIn,
  standingOf,
  whyPathUnknown,
} from '../../src/core/reads/releases.ts'

describe('a release of Splice', () => {
  test.each([
    ['0.7.5', 'known'],
    ['0.8.4', 'known'],
    ['0.9.0-snapshot.20261007.17001.0.v2c04f233', 'known'],
    ['0.9.1', 'known'],
    ['0.9.2', 'newer'],
    ['0.10.0', 'newer'],
    ['1.0.0-snapshot', 'newer'],
    ['99999.99999.99999', 'newer'],
    ['0.7.4', 'older'],
    ['0.0.0', 'older'],
    ['0.7.5-snapshot', 'older'],
  ])('%s is %s', (release, standing) => {
    expect(releaseIn(release)).toBe(release)
    expect(standingOf(release)).toBe(standing)
  })

  test('is newer than its snapshots, and numbers compare as numbers', () => {
    const ordered = ['0.7.5', '0.8.4', '0.9.0-snapshot', '0.9.0', '0.10.0', '1.0.0-snapshot', '1.0.0+build']
    expect(ordered.toReversed().toSorted(compareReleases)).toEqual(ordered)
    expect(compareReleases('0.9.0-snapshot.1', '0.9.0-snapshot.2')).toBe(0)
  })

  test.each([
    undefined,
    null,
    9,
    '',
    '0.9',
    '0.9.0\n',
    ' 0.9.0',
    '0.9.0-',
    '0.9.0-\u001b[31m',
    '0.9.0-\u202e',
    '000000.9.0',
    `0.9.0-${'a'.repeat(60)}`,
    '0.9.0'.repeat(209_716),
    '9'.repeat(1_048_576),
    { version: '0.9.0' },
  ])('is not what a scan says that says %j', (said) => {
    expect(releaseIn(said)).toBeUndefined()
    if (typeof said === 'string') expect(standingOf(said)).toBe('unknown')
  })

  test('is told in one line of at most 64 printable characters, whatever a scan says', () => {
    const said = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('0', '9', '.', '-', '+', 'a', '\n', '\u009b'), maxLength: 80 }),
    )
    fc.assert(
      fc.property(said, (text) => {
        expect(releaseIn(text) ?? '').toMatch(/^[0-9A-Za-z.+-]{0,64}$/)
      }),
    )
  })
})

test('paths of some releases begin or end within the known releases', () => {
  for (const { since, until } of Object.values(pathsOfSomeReleases)) {
    for (const release of [since, until]) if (release !== undefined) expect(standingOf(release)).toBe('known')
    expect(since ?? until).toBeDefined()
  }
  expect(compareReleases(oldestKnown, newestKnown)).toBeLessThan(0)
})

test.each([
  [
    '/v1/state/acs',
    ['0.9.0', '0.9.0', '0.8.4'],
    'they may be of a newer Splice, which has not had it since 0.9.0 (0.9.0; newest known 0.9.1)',
  ],
  [
    '/v0/events/latest-record-time',
    ['0.8.4', '0.7.5', '0.9.0'],
    'they may be of an older Splice (0.8.4, 0.7.5); it came with 0.9.0',
  ],
  [
    '/v0/events/latest-record-time',
    ['0.9.0', undefined, '0.9.1'],
    'their Splice (0.9.0, 0.9.1) should have it',
  ],
  [
    '/v0/dso',
    ['1.0.0', '1.0.1', '1.0.2', '1.0.3', '1.0.1'],
    'they may be of a newer Splice than this daemon (1.0.0, 1.0.1, 1.0.2; newest known 0.9.1)',
  ],
  ['/v0/dso', [], 'their releases are not known (known to this daemon: 0.7.5 to 0.9.1)'],
])('%s is unknown to scans of %j, because %s', (path, releases, why) => {
  expect(whyPathUnknown(path, releases)).toBe(why)
})
